"""Where the fields of a type lie, by the debugging information of an image.

The layout of a Rust type is the compiler's own business and may differ from build to build, so it is read
and never written down.
"""

from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile


@dataclass
class Field:
    """A number inside a value: where, and of how many bytes."""

    offset: int
    size: int


class Layout:
    """The types of the core in one image: fields of structures, numbers of enumerations."""

    def __init__(self, image: Path):
        with image.open("rb") as file:
            info = ELFFile(file).get_dwarf_info()
            self.types = {}
            for unit in info.iter_CUs():
                for die in unit.iter_DIEs():
                    self._keep(die)

    def _keep(self, die):
        if die.tag not in ("DW_TAG_structure_type", "DW_TAG_enumeration_type"):
            return
        name = _path(die)
        if name.startswith("undaunted_core::") or name.startswith("core::option::Option<undaunted_core::"):
            self.types.setdefault(name, die)

    def size(self, name: str) -> int:
        return _number(self.types[name], "DW_AT_byte_size")

    def fields(self, name: str) -> dict[str, Field]:
        """The fields that are numbers; a newtype counts as the number in it."""
        return {_name(m): Field(at, size) for m, at, size in self._members(self.types[name])}

    def _members(self, die):
        for member in die.iter_children():
            if member.tag == "DW_TAG_member":
                kind = member.get_DIE_from_attribute("DW_AT_type")
                yield member, _number(member, "DW_AT_data_member_location"), _number(kind, "DW_AT_byte_size")

    def numbers(self, name: str) -> dict[str, int]:
        """The variants of an enumeration without data."""
        children = self.types[name].iter_children()
        return {_name(c): _number(c, "DW_AT_const_value") for c in children if c.tag == "DW_TAG_enumerator"}

    def tag(self, name: str) -> tuple[Field, dict[str, int]]:
        """The tag of an enumeration with data: where it is, and the variants that have a number of their own."""
        (part,) = [c for c in self.types[name].iter_children() if c.tag == "DW_TAG_variant_part"]
        ((_, at, size),) = self._members(part)
        variants = {}
        for variant in part.iter_children():
            if variant.tag == "DW_TAG_variant" and "DW_AT_discr_value" in variant.attributes:
                (member,) = variant.iter_children()
                variants[_name(member)] = _number(variant, "DW_AT_discr_value")
        return Field(at, size), variants

    def payload(self, name: str, variant: str) -> Field:
        """The data of a variant that has one field."""
        for child in self.types[name].iter_children():
            if child.tag == "DW_TAG_structure_type" and _name(child) == variant:
                ((_, at, size),) = self._members(child)
                return Field(at, size)
        raise KeyError(f"{name} has no variant {variant}")


def _number(die, attribute: str) -> int:
    return die.attributes[attribute].value


def _name(die) -> str:
    return die.attributes["DW_AT_name"].value.decode() if "DW_AT_name" in die.attributes else ""


def _path(die) -> str:
    parts = []
    while die is not None and die.tag != "DW_TAG_compile_unit":
        parts.append(_name(die))
        die = die.get_parent()
    return "::".join(reversed(parts))
