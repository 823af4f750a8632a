//! The table of presets. One row: constant, name, text, what a retry waits in all or how often a poll asks at
//! most, about, source.

use super::rows;

rows! {
    /// Amazon Web Services, devices.
    pub mod aws {
        IOT_CSDK = "aws.iot.csdk":
            "exponential 500ms x2 cap 5s jitter full attempts 6", waits ["0s" to "12.5s"]
            "Connects a device to its MQTT broker, as the demos of the AWS IoT SDK for Embedded C do: full \
             jitter up to 5 s. They call it 5 attempts, since the first one is not counted there."
            "aws-iot-device-sdk-embedded-C, demos; FreeRTOS/backoffAlgorithm"
    }

    /// Microsoft Azure, devices.
    pub mod azure {
        EMBEDDED_RECOMMENDED = "azure.embedded.recommended":
            "exponential 1s x2 cap 100s jitter +25% attempts unlimited", waits [ever]
            "Reconnects a device to IoT Hub: the nearest policy to what Azure recommends where nothing is \
             known of the network. The original adds up to 5 s to waits of 1, 2, 4 ... 64 s and nothing at \
             its cap of 100 s, where a whole fleet then returns together; here a quarter of each wait, which \
             on the way there is about as much in all and stays at the cap: 80 to 100 s. Also not kept: a \
             signed overflow that makes the 30th wait zero, and a sample that takes a server's seconds for \
             milliseconds."
            "Azure/azure-sdk-for-c sdk/docs/iot/mqtt_state_machine.md, sdk/src/azure/iot/az_iot_common.c"
    }

    /// Cluster API.
    pub mod capi {
        ENVTEST_CACHE = "capi.envtest_cache":
            "exponential 100ms x1.5 cap 2s jitter +40% attempts 8", waits ["3.217s" to "4.504s"]
            "Waits in a test until a client's cache shows what was written."
            "kubernetes-sigs/cluster-api internal/test/envtest"
        MACHINESET_FINALIZER = "capi.machineset_finalizer":
            "constant 50ms cap 60ms jitter +10% attempts 3", waits ["100ms" to "110ms"]
            "Changes the finalizer of a MachineSet, against conflicts with another writer."
            "kubernetes-sigs/cluster-api core/reconcilers/topology/machineset"
        PATCH = "capi.patch":
            "constant 100ms cap 200ms jitter +100% attempts 5", waits ["400ms" to "800ms"]
            "Patches the conditions of an object, against conflicts. The original names no factor, so the \
             waits do not grow."
            "kubernetes-sigs/cluster-api util/patch/patch.go"
        REPOSITORY_DOWNLOAD = "capi.repository_download":
            "exponential 100ms x4 cap 7s jitter none attempts 5", waits ["8.5s"]
            "Downloads the files of a provider for an end-to-end test."
            "kubernetes-sigs/cluster-api test/framework/clusterctl/repository.go"
        SSA_MANAGEDFIELDS = "capi.ssa_managedfields":
            "constant 10ms cap 12ms jitter +10% attempts 3", waits ["20ms" to "22ms"]
            "Corrects the managed fields of an object before server-side apply, against conflicts."
            "kubernetes-sigs/cluster-api internal/util/ssa"
        UTIL_RETRY = "capi.util_retry":
            "exponential 5s x1.25 cap 60s jitter +100% attempts 10", waits ["129.012s" to "258.023s"]
            "The general retry among the utilities of Cluster API, with its default first wait; a wait may \
             double by jitter."
            "kubernetes-sigs/cluster-api util/retry.go"
    }

    /// The Go client of Kubernetes.
    pub mod clientgo {
        DEFAULT_BACKOFF = "clientgo.DefaultBackoff":
            "exponential 10ms x5 cap 280ms jitter +10% attempts 4", waits ["310ms" to "341ms"]
            "Against conflicts over an object that a controller keeps changing: leaves it time to finish."
            "kubernetes/client-go util/retry"
        DEFAULT_RETRY = "clientgo.DefaultRetry":
            "constant 10ms cap 12ms jitter +10% attempts 5", waits ["40ms" to "44ms"]
            "Against conflicts between a few clients that change the same object now and then."
            "kubernetes/client-go util/retry"
    }

    /// clusterctl, the command of Cluster API.
    pub mod clusterctl {
        CONNECT = "clusterctl.connect":
            "exponential 250ms x1.5 cap 5s jitter +10% attempts 9", waits ["12.314s" to "13.546s"]
            "Connects to a management cluster. Upstream calls it about 15 s."
            "kubernetes-sigs/cluster-api cmd/clusterctl/client/cluster/client.go"
        CRD_MIGRATION = "clusterctl.crd_migration":
            "exponential 250ms x1.4 cap 43s jitter +10% attempts 17", waits ["135.497s" to "149.047s"]
            "Migrates stored objects to a new version of their definition. Right after an upgrade of \
             cert-manager the webhooks may be out of reach for 60 to 90 s."
            "kubernetes-sigs/cluster-api cmd/clusterctl/client/cluster/crd_migration.go"
        READ = "clusterctl.read":
            "exponential 250ms x1.5 cap 5s jitter +10% attempts 9", waits ["12.314s" to "13.546s"]
            "Reads from a management cluster. Upstream calls it about 15 s."
            "kubernetes-sigs/cluster-api cmd/clusterctl/client/cluster/client.go"
        SCALE_TO_ZERO = "clusterctl.scale_to_zero":
            "constant 1s cap 2s jitter +40% attempts 60", waits ["59s" to "82.6s"]
            "Waits in an upgrade until a deployment has no replica left."
            "kubernetes-sigs/cluster-api cmd/clusterctl/client/cluster/upgrader.go"
        SHORT_CONNECT = "clusterctl.short_connect":
            "exponential 250ms x1.5 cap 3s jitter +10% attempts 7", waits ["5.195s" to "5.715s"]
            "Connects where somebody waits for the answer: about 5 s."
            "kubernetes-sigs/cluster-api cmd/clusterctl/client/cluster/client.go"
        WAIT_MOVE_UNBLOCKED = "clusterctl.wait_move_unblocked":
            "exponential 5s x1.5 cap 150s jitter +10% attempts 10", waits ["374.434s" to "411.877s"]
            "Waits until the objects of a cluster may be moved. Upstream says about 2 min; with these \
             numbers it is 6 to 7 min."
            "kubernetes-sigs/cluster-api cmd/clusterctl/client/cluster/mover.go"
        WRITE_2020 = "clusterctl.write.2020":
            "exponential 500ms x1.5 cap 18s jitter +40% attempts 10", waits ["37.443s" to "52.421s"]
            "Writes to a management cluster: about 40 s."
            "kubernetes-sigs/cluster-api cmd/clusterctl/client/cluster/client.go @9fe8ad47"
        WRITE_2026 = "clusterctl.write.2026":
            "exponential 500ms x1.5 cap 61s jitter +40% attempts 13", waits ["128.746s" to "180.245s"]
            "Writes to a management cluster: about 2.5 min."
            "kubernetes-sigs/cluster-api cmd/clusterctl/client/cluster/client.go @260bd07655"
    }

    /// The network plugin of Amazon VPC. Its own caps are 5 s and 60 s, before jitter.
    pub mod cni {
        DELETE_ENI = "cni.delete_eni":
            "exponential 500ms x2 cap 69s jitter +15% attempts 12", waits ["303.5s" to "349.025s"]
            "Deletes a network interface: patient, since it may be held for minutes."
            "aws/amazon-vpc-cni-k8s pkg/awsutils"
        DETACH_ENI = "cni.detach_eni":
            "exponential 200ms x2 cap 69s jitter +15% attempts 12", waits ["222.2s" to "255.53s"]
            "Detaches a network interface."
            "aws/amazon-vpc-cni-k8s pkg/awsutils"
        INTROSPECT = "cni.introspect":
            "exponential 1s x2 cap 72s jitter +20% attempts unlimited", waits [ever]
            "Keeps a server for introspection or metrics listening: the longest single wait is 72 s."
            "aws/amazon-vpc-cni-k8s pkg/ipamd/introspect.go"
        LINKBYMAC_2019 = "cni.linkbymac.2019":
            "constant 5s cap 5s jitter none attempts 5", waits ["20s"]
            "Finds a link by its MAC address, which the kernel shows a moment after it was attached; as \
             first written."
            "aws/amazon-vpc-cni-k8s @fc7198093"
        LINKBYMAC_IPAMD = "cni.linkbymac.ipamd":
            "constant 100ms cap 100ms jitter none attempts 5", waits ["400ms"]
            "Finds a link by its MAC address where the address manager reconciles."
            "aws/amazon-vpc-cni-k8s pkg/ipamd/ipamd.go"
        LINKBYMAC_NOW = "cni.linkbymac.now":
            "constant 3s cap 3s jitter none attempts 5", waits ["12s"]
            "Finds a link by its MAC address, which the kernel shows a moment after it was attached."
            "aws/amazon-vpc-cni-k8s pkg/networkutils/network.go"
        ROUTE_REPLACE = "cni.route_replace":
            "exponential 500ms x2 cap 5750ms jitter +15% attempts 5", waits ["7.5s" to "8.625s"]
            "Replaces a route."
            "aws/amazon-vpc-cni-k8s pkg/networkutils"
        TAG_ENI = "cni.tag_eni":
            "exponential 500ms x2 cap 78s jitter +30% attempts 5", waits ["7.5s" to "9.75s"]
            "Tags a network interface."
            "aws/amazon-vpc-cni-k8s pkg/awsutils"
        WAIT_ATTACHED = "cni.wait_attached":
            "exponential 100ms x2 cap 69s jitter +15% attempts 12", waits ["162.3s" to "186.645s"]
            "Waits until a network interface is attached."
            "aws/amazon-vpc-cni-k8s pkg/awsutils"
    }

    mod esp {
        ESP_MQTT = "esp_mqtt":
            "constant 10s cap 10s jitter none attempts unlimited", waits [ever]
            "Reconnects a device to its MQTT broker every 10 s. Without jitter a fleet that lost its broker \
             returns all at once: prefer another for more than one device."
            "espressif/esp-mqtt"
    }

    /// etcdadm.
    pub mod etcdadm {
        JOIN = "etcdadm.join":
            "exponential 1s x2 cap 8s jitter none attempts 5", waits ["15s"]
            "Joins a member to an etcd cluster."
            "kubernetes-retired/etcdadm PR 146"
    }

    /// flannel.
    pub mod flannel {
        ACQUIRE_LEASE = "flannel.acquire_lease":
            "constant 3s cap 3s jitter none attempts unlimited within 30s", fixed_rate [10]
            "Acquires the lease of a subnet."
            "flannel-io/flannel pkg/subnet/kube"
        HOST_NETWORK_2024_04 = "flannel.host_network.2024_04":
            "constant 3s cap 3s jitter none attempts unlimited within 22s first_delay 3s", fixed_rate [8]
            "Waits until the host network is ready again, as first written. Begins with a wait; the limit, 25 \
             s, counts it."
            "flannel-io/flannel @00014d09"
        HOST_NETWORK_NOW = "flannel.host_network.now":
            "constant 5s cap 5s jitter none attempts unlimited within 45s", fixed_rate [9]
            "Waits until the host network is ready again."
            "flannel-io/flannel @42601e98 checkHostNetworkReady"
    }

    /// kubeadm.
    pub mod kubeadm {
        API_V1BETA4 = "kubeadm.api.v1beta4":
            "constant 500ms cap 500ms jitter none attempts unlimited within 1m", fixed_rate [120]
            "Calls the API server."
            "kubernetes/kubernetes Timeouts.KubernetesAPICall"
        DISCOVERY = "kubeadm.discovery":
            "constant 5s cap 5s jitter none attempts unlimited within 5m", fixed_rate [60]
            "Discovers the cluster that a node is to join."
            "kubernetes/kubernetes Timeouts.Discovery"
        ETCD_2019 = "kubeadm.etcd.2019":
            "exponential 50ms x2 cap 8s jitter +10% attempts 9", waits ["12.75s" to "14.025s"]
            "Calls etcd while a member joins. Upstream says about 26 s, which nine waits would take; nine \
             attempts have eight waits, 12.75 to 14 s."
            "kubernetes/kubernetes PR 79677"
        ETCD_2020A = "kubeadm.etcd.2020a":
            "exponential 50ms x2 cap 29s jitter +10% attempts 11", waits ["51.15s" to "56.265s"]
            "Calls etcd while a member joins. Upstream first said about 106 s, later about 50 s; the latter \
             is right."
            "kubernetes/kubernetes PR 87505"
        ETCD_2020B = "kubeadm.etcd.2020b":
            "exponential 100ms x1.5 cap 73s jitter +10% attempts 18", waits ["196.852s" to "216.537s"]
            "Calls etcd while a member joins: some 200 s."
            "kubernetes/kubernetes PR 90645, PR 92131"
        ETCD_V1BETA4 = "kubeadm.etcd.v1beta4":
            "constant 500ms cap 500ms jitter none attempts unlimited within 2m", fixed_rate [240]
            "Calls etcd."
            "kubernetes/kubernetes Timeouts.EtcdAPICall"
        MUTATE_CONFIGMAP_1_17 = "kubeadm.mutate_configmap.1_17":
            "constant 500ms cap 600ms jitter +10% attempts 20", waits ["9.5s" to "10.45s"]
            "Changes a ConfigMap, against conflicts: about 10 s. Upstream calls it exponential; its factor \
             is 1."
            "kubernetes/kubernetes v1.17 cmd/kubeadm/app/util/apiclient/idempotency.go"
        PATCH_NODE_OLD = "kubeadm.patch_node.old":
            "constant 500ms cap 500ms jitter none attempts unlimited within 119500ms first_delay 500ms", fixed_rate [239]
            "Patches a node, as older versions did. Begins with a wait; the limit, 2 min, counts it."
            "kubernetes/kubernetes PatchNodeTimeout"
        READ = "kubeadm.read":
            "constant 500ms cap 500ms jitter none attempts unlimited within 15s", fixed_rate [30]
            "Reads from the API server."
            "kubernetes/kubernetes APICallWithReadTimeout"
        SHORT_CONFIGMAP = "kubeadm.short_configmap":
            "constant 50ms cap 50ms jitter none attempts unlimited within 350ms", fixed_rate [7]
            "Reads a ConfigMap where a missing one is no surprise."
            "kubernetes/kubernetes GetConfigMapWithShortRetry"
        TLS_BOOTSTRAP = "kubeadm.tls_bootstrap":
            "constant 1s cap 1s jitter none attempts unlimited within 5m", fixed_rate [300]
            "Waits until the kubelet of a new node has its certificate."
            "kubernetes/kubernetes Timeouts.TLSBootstrap"
        WRITE = "kubeadm.write":
            "constant 500ms cap 500ms jitter none attempts unlimited within 40s", fixed_rate [80]
            "Writes to the API server. The original nested one such loop in another, 80 s at worst; give the \
             inner one the deadline of its attempt."
            "kubernetes/kubernetes PR 91952, APICallWithWriteTimeout"
    }

    mod paho {
        PAHO_C_ASYNC = "paho_c_async":
            "exponential 1s x2 cap 72s jitter +-20% attempts unlimited", waits [ever]
            "Reconnects an MQTT client as Eclipse Paho does by default: 1 s to 60 s, spread by a fifth. The \
             nearest policy: the original draws whole seconds from x / 1.2 to x * 1.2, so its first wait may \
             be zero; here it is x * 0.8 to x * 1.2, to the microsecond."
            "eclipse-paho/paho.mqtt.c src/MQTTAsyncUtils.c"
    }

    /// RKE2.
    pub mod rke2 {
        CALICO_NODE = "rke2.calico.node":
            "constant 5s cap 5s jitter none attempts unlimited within 5m", fixed_rate [60]
            "Waits until a Windows node is there for Calico."
            "rancher/rke2 pkg/windows/calico.go, Start"
        CALICO_VIP = "rke2.calico.vip":
            "constant 5s cap 5s jitter none attempts unlimited within 5m", fixed_rate [60]
            "Waits until the source address for the services of a Windows node is reserved, with Calico."
            "rancher/rke2 reserveCalicoVIP"
        CONFD = "rke2.confd":
            "constant 1s cap 1s jitter none attempts unlimited", waits [ever]
            "Restarts confd on a Windows node."
            "rancher/rke2 runConfd"
        FLANNEL_NODE = "rke2.flannel.node":
            "constant 3s cap 3s jitter none attempts unlimited within 5m", fixed_rate [100]
            "Waits until a Windows node is there for flannel."
            "rancher/rke2 pkg/windows/flannel.go, Start"
        FLANNEL_VIP = "rke2.flannel.vip":
            "constant 10s cap 10s jitter none attempts unlimited within 5m", fixed_rate [30]
            "Waits until the source address for the services of a Windows node is reserved, with flannel."
            "rancher/rke2 reserveFlannelVIP"
        FLANNELD_2025 = "rke2.flanneld.2025":
            "constant 1s cap 1s jitter none attempts unlimited", waits [ever]
            "Restarts flanneld on a Windows node, for ever. It never backs off; a daemon that cannot start \
             is started every second."
            "rancher/rke2 @96f910bb4"
        FLANNELD_PR5703 = "rke2.flanneld.pr5703":
            "constant 1s cap 1s jitter none attempts 5", waits ["4s"]
            "Starts flanneld five times, since its first start takes down the network that it needs. \
             Corrected: the original had no delay between the starts, restarted after a clean exit too, and \
             gave up in silence; here it waits 1 s, as its successor does, and giving up is a verdict."
            "rancher/rke2 PR 5703 @4d093c5fb"
        INTERFACE_BACK = "rke2.interface_back":
            "constant 2s cap 2s jitter none attempts unlimited within 28s first_delay 2s", fixed_rate [14]
            "Waits until an interface of a Windows node is back, which went away with the networks that were \
             deleted. Begins with a wait; the limit, 30 s, counts it."
            "rancher/rke2 deleteAllNetworks"
        KUBELET_KUBEPROXY = "rke2.kubelet_kubeproxy":
            "constant 5s cap 5s jitter none attempts unlimited", waits [ever]
            "Restarts kubelet and kube-proxy on a Windows node."
            "rancher/rke2 pkg/pebinaryexecutor"
        RESTRICT_SERVICE_ACCOUNT = "rke2.restrict_service_account":
            "constant 5s cap 5s jitter none attempts 10", waits ["45s"]
            "Restricts the default service account once the API server answers. The original names no \
             factor, so the waits do not grow."
            "rancher/rke2 pkg/rke2/serviceaccount.go"
    }

    /// Canonical Kubernetes, the snap. Retries there also wait after the last failure; that wait is left out.
    pub mod snap {
        DQLITE_REMOVE = "snap.dqlite_remove":
            "constant 5s cap 5s jitter none attempts 10", waits ["45s"]
            "Removes a node from the dqlite cluster. Without the useless last wait of the original, 5 s."
            "canonical/k8s-snap client/dqlite/remove.go"
        ETCD_PROMOTE = "snap.etcd_promote":
            "constant 2s cap 2s jitter none attempts 30", waits ["58s"]
            "Promotes an etcd learner once it has caught up. Without the useless last wait of the original, \
             2 s."
            "canonical/k8s-snap hooks_join.go"
        START = "snap.start":
            "constant 5s cap 5s jitter none attempts 5", waits ["20s"]
            "Starts services while another hand may hold the service control. Without the useless last wait \
             of the original, 5 s; two contenders need jitter besides."
            "canonical/k8s-snap hooks_bootstrap, hooks_join, hooks_start"
        WAIT_UNTIL_READY = "snap.wait_until_ready":
            "constant 1s cap 1s jitter none attempts unlimited first_delay 1s", fixed_gap [ever]
            "Waits until the control socket answers. Begins with a wait, and counts each from the end of a \
             probe; it has no limit of its own, so give it a deadline."
            "canonical/k8s-snap control/wait.go"
    }
}

pub use esp::ESP_MQTT;
pub use paho::PAHO_C_ASYNC;
