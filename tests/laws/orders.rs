//! The order of setters never matters: constants, drafts and texts, in all orders.

use std::panic::catch_unwind;

use proptest::prelude::*;
use undaunted_core::{Micros, Policy};
use undaunted_tests::said::{Calls, Said, Shape, Spread, leaked};
use undaunted_tests::spell::{Setter, draft_setter, draft_shape, policy_setter, policy_shape, text_setter};

use crate::generate::{both, config, sound};

/// All orders of `items`.
fn permutations<T: Copy>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for i in 0..items.len() {
        let rest = [&items[..i], &items[i + 1..]].concat();
        for mut tail in permutations(&rest) {
            tail.insert(0, items[i]);
            all.push(tail);
        }
    }
    all
}

/// The same policy from these setters in this order, in all three spellings.
fn assert_same(shape: Shape, order: &[Setter], expected: Policy) {
    let constant = for_a_constant(shape, order)
        .iter()
        .fold(policy_shape(shape), |policy, &setter| policy_setter(policy, setter));
    assert_eq!(constant, expected, "constant, {order:?}");
    assert_eq!(constant.to_string(), expected.to_string());
    let drafted = order.iter().fold(Policy::draft(), |draft, &setter| draft_setter(draft, setter));
    assert_eq!(draft_shape(drafted, shape).build(), Ok(expected), "draft, the shape last, {order:?}");
    let drafted =
        order.iter().fold(draft_shape(Policy::draft(), shape), |draft, &setter| draft_setter(draft, setter));
    assert_eq!(drafted.build(), Ok(expected), "draft, {order:?}");
}

/// The one exception, and it is documented: `immediate` without end is a hot loop at the very setter
/// that says so, so a constant says the floor first. Drafts and texts are checked as a whole.
fn for_a_constant(shape: Shape, order: &[Setter]) -> Vec<Setter> {
    let mut order = order.to_vec();
    if shape == Shape::Immediate && order.contains(&Setter::Attempts(Calls::Unlimited)) {
        order.sort_by_key(|setter| !matches!(setter, Setter::Floor(_)));
    }
    order
}

#[test]
fn a_constant_says_the_floor_of_immediate_before_unlimited_attempts() {
    let floor = core::time::Duration::from_micros(1);
    assert!(catch_unwind(|| Policy::immediate().unlimited_attempts().floor(floor)).is_err());
    let expected = Policy::immediate().floor(floor).unlimited_attempts();
    assert_eq!(Policy::draft().immediate().unlimited_attempts().floor(floor).build(), Ok(expected));
    assert_eq!(Policy::parse("immediate attempts unlimited floor 1us"), Ok(expected));
}

/// The text with its words in this order.
fn text(said: &Said, order: &[Setter]) -> String {
    let words = order.iter().map(|&setter| text_setter(setter));
    std::iter::once(said.text_shape()).chain(words).collect::<Vec<_>>().join(" ")
}

fn parsed(text: &str) -> Policy {
    let home = Vec::leak(vec![Micros::ZERO; 8]);
    Policy::parse_in(text, home).unwrap_or_else(|error| panic!("{}", error.caret(text)))
}

const SHAPES: [Shape; 6] = [
    Shape::Constant { delay: 70_000_000 },
    Shape::Exponential { first: 100_000 },
    Shape::Fibonacci { first: 1 },
    Shape::Immediate,
    Shape::Linear { first: 31_000_000, step: 3 },
    Shape::Decorrelated { first: 5_000 },
];

/// Six settings that depend on each other; the cap is the tightest that the jitter's room allows.
fn dependent(shape: Shape) -> Said {
    let grows = matches!(shape, Shape::Exponential { .. } | Shape::Decorrelated { .. });
    let is_decorrelated = matches!(shape, Shape::Decorrelated { .. });
    Said {
        factor: grows.then_some((101, 100)),
        jitter: Some(if is_decorrelated { Spread::None } else { Spread::Additive(255, 1) }),
        cap: Some(70_000_000),
        floor: Some(70_000_000),
        attempts: Some(Calls::Limited(u32::MAX)),
        within: Some(1),
        attempt_timeout: (!grows).then_some(1),
        ..Said::only(shape)
    }
}

/// No cap, so that the default follows the jitter, the first delay and the floor.
fn defaulting(shape: Shape) -> Said {
    let is_decorrelated = matches!(shape, Shape::Decorrelated { .. });
    Said {
        jitter: Some(if is_decorrelated { Spread::None } else { Spread::Additive(3, 2) }),
        floor: Some(90_000_000),
        attempts: Some(Calls::Limited(3)),
        attempt_timeout: Some(1),
        hint_ceiling: Some(0),
        first_delay: Some(1 << 55),
        ..Said::only(shape)
    }
}

#[test]
fn all_720_orders_of_six_setters_are_one_policy() {
    for shape in SHAPES.into_iter().chain([Shape::Schedule { steps: leaked(&[40_000_000, 2, 70_000_000]) }]) {
        for said in [dependent(shape), defaulting(shape)] {
            let (expected, twin) = both(said);
            assert_eq!(expected.to_string(), twin.display());
            let orders = permutations(&said.setters());
            assert_eq!(orders.len(), 720);
            for order in orders {
                assert_same(shape, &order, expected);
                assert_eq!(parsed(&text(&said, &order)), expected);
            }
        }
    }
}

/// What is refused is refused in every order.
#[test]
fn every_order_of_a_broken_rule_is_refused() {
    let exponential = Said::only(Shape::Exponential { first: 100 });
    let broken = [
        Said { cap: Some(99), jitter: Some(Spread::Equal), attempts: Some(Calls::Limited(2)), ..exponential },
        Said { cap: Some(100), floor: Some(101), jitter: Some(Spread::None), ..exponential },
        Said { cap: Some(200), floor: Some(5), jitter: Some(Spread::Additive(255, 1)), ..exponential },
        Said { factor: Some((1, 1)), attempts: Some(Calls::Limited(0)), cap: Some(u64::MAX), ..exponential },
    ];
    for said in broken {
        let invalid = said.draft().expect_err("refused");
        for order in permutations(&said.setters()) {
            let constant = || {
                order.iter().fold(policy_shape(said.shape), |policy, &setter| policy_setter(policy, setter))
            };
            assert!(catch_unwind(constant).is_err(), "{order:?}");
            let draft = order.iter().fold(Policy::draft(), |draft, &setter| draft_setter(draft, setter));
            assert_eq!(draft_shape(draft, said.shape).build(), Err(invalid), "{order:?}");
            assert!(Policy::parse(&text(&said, &order)).is_err(), "{order:?}");
        }
    }
}

/// A later setter of the same field replaces the earlier one.
#[test]
fn the_last_word_counts() {
    let shape = policy_shape(SHAPES[1]);
    let twice = shape
        .cap(core::time::Duration::from_secs(1))
        .cap(core::time::Duration::from_secs(9))
        .attempts(1)
        .attempts(7);
    assert_eq!(twice, shape.cap(core::time::Duration::from_secs(9)).attempts(7));
}

proptest! {
    #![proptest_config(config())]

    /// Any policy, any order.
    #[test]
    fn any_order_is_the_same_policy(
        (said, order) in sound().prop_flat_map(|said| (Just(said), Just(said.setters()).prop_shuffle())),
    ) {
        let (expected, _) = both(said);
        assert_same(said.shape, &order, expected);
    }
}
