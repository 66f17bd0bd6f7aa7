package e2e

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// serviceExamples run until they are deleted.
var serviceExamples = []example{
	{
		name: "nginx",
		play: func(s *story) {
			s.awaitAllRunning("nginx", 3)
			s.patch("nginx", `[{op: replace, path: /spec/taskRoles/0/taskNumber, value: 4}]`)
		},
		want: `
AttemptRunning attempt=0 retried=0/0
server-0 AttemptRunning retried=0/0
server-1 AttemptRunning retried=0/0
server-2 AttemptRunning retried=0/0
server-3 AttemptRunning retried=0/0`,
		reach: `nginx nginx-server-0 nginx-server-1 nginx-server-2 nginx-server-3`,
		check: func(s *story, pods map[string]*corev1.Pod) {
			for _, pod := range pods {
				c := pod.Spec.Containers[0]
				if c.ReadinessProbe == nil || c.LivenessProbe == nil || len(pod.Spec.TopologySpreadConstraints) != 1 {
					s.t.Errorf("not as in the template: %v", pod.Spec)
				}
			}
		},
	},
	{
		name: "tensorflowserving",
		want: `
AttemptRunning attempt=0 retried=0/0
server-0 AttemptRunning retried=0/0
server-1 AttemptRunning retried=0/0`,
		reach: `tensorflowserving tensorflowserving-server-0 tensorflowserving-server-1`,
		check: serverHasModel,
	},
	{
		name: "streaminginference",
		play: func(s *story) { memberComesBack(s, "streaminginference", 4, "inference", 1) },
		want: `
AttemptRunning attempt=0 retried=0/0
queue-0 AttemptRunning retried=0/0
inference-0 AttemptRunning retried=0/0
inference-1 AttemptRunning retried=1/1
inference-2 AttemptRunning retried=0/0`,
		reach: `streaminginference-queue:6379 streaminginference-queue-0`,
	},
	{
		name: "etcd",
		play: func(s *story) { memberComesBack(s, "etcd", 3, "member", 1) },
		want: `
AttemptRunning attempt=0 retried=0/0
member-0 AttemptRunning retried=0/0
member-1 AttemptRunning retried=1/1
member-2 AttemptRunning retried=0/0`,
		reach: `
etcd etcd-member-0 etcd-member-1 etcd-member-2
member-0.etcd-member:2380 etcd-member-0
member-1.etcd-member:2380 etcd-member-1
member-2.etcd-member:2380 etcd-member-2
member-2.etcd-member:2379 etcd-member-2`,
		check: eachHasItsVolume,
	},
	{
		name: "kafka",
		play: func(s *story) { memberComesBack(s, "kafka", 3, "broker", 2) },
		want: `
AttemptRunning attempt=0 retried=0/0
broker-0 AttemptRunning retried=0/0
broker-1 AttemptRunning retried=0/0
broker-2 AttemptRunning retried=1/1`,
		reach: `
kafka kafka-broker-0 kafka-broker-1 kafka-broker-2
broker-0.kafka-broker:9093 kafka-broker-0
broker-1.kafka-broker:9093 kafka-broker-1
broker-2.kafka-broker:9093 kafka-broker-2
broker-1.kafka-broker:9092 kafka-broker-1`,
		check: brokersHaveNumbers,
	},
	{
		name: "hdfs",
		play: func(s *story) {
			memberComesBack(s, "hdfs", 4, "namenode", 0)
			s.patch("hdfs", `[{op: test, path: /spec/taskRoles/1/name, value: datanode},
				{op: replace, path: /spec/taskRoles/1/taskNumber, value: 4}]`)
		},
		want: `
AttemptRunning attempt=0 retried=0/0
namenode-0 AttemptRunning retried=1/1
datanode-0 AttemptRunning retried=0/0
datanode-1 AttemptRunning retried=0/0
datanode-2 AttemptRunning retried=0/0
datanode-3 AttemptRunning retried=0/0`,
		reach: `
namenode-0.hdfs:8020 hdfs-namenode-0
datanode-0.hdfs hdfs-datanode-0
datanode-3.hdfs hdfs-datanode-3`,
		check: func(s *story, pods map[string]*corev1.Pod) {
			if got := claimOf(pods["hdfs-namenode-0"]); got != "hdfs-namenode-0" {
				s.t.Errorf("the name node has %q", got)
			}
			if got := s.environment(pods["hdfs-datanode-3"].Spec.Containers[0])["HDFS-SITE.XML_dfs.datanode.hostname"]; got != "datanode-3.hdfs" {
				s.t.Errorf("the data node calls itself %s", got)
			}
		},
	},
	{
		name: "hbase",
		before: func(s *story) {
			s.kubectl("apply", "-f", exampleDir+"hdfs.yaml")
			s.provision()
			s.awaitAllRunning("hdfs", 4)
		},
		after: func(s *story) { s.awaitAllRunning("hdfs", 4) }, // the data nodes remain
		play: func(s *story) {
			memberComesBack(s, "hbase", 6, "zookeeper", 0)
			s.patch("hbase", `[{op: test, path: /spec/taskRoles/2/name, value: regionserver},
				{op: replace, path: /spec/taskRoles/2/taskNumber, value: 4}]`)
		},
		want: `
AttemptRunning attempt=0 retried=0/0
zookeeper-0 AttemptRunning retried=1/1
master-0 AttemptRunning retried=0/0
master-1 AttemptRunning retried=0/0
regionserver-0 AttemptRunning retried=0/0
regionserver-1 AttemptRunning retried=0/0
regionserver-2 AttemptRunning retried=0/0
regionserver-3 AttemptRunning retried=0/0`,
		reach: `
hbase-zookeeper-0.hbase hbase-zookeeper-0
hbase-regionserver-3.hbase hbase-regionserver-3`,
		check: hbaseKnowsWhereItsDataAre,
	},
	{
		name: "vllm",
		play: func(s *story) {
			s.awaitAllRunning("vllm", 2)
			s.endPod("vllm-leader-0", 1)
		},
		want: `
AttemptRunning attempt=0 retried=0/0
leader-0 AttemptRunning retried=1/1
worker-0 AttemptRunning retried=1/0`,
		reach: `
vllm-leader-0.vllm vllm-leader-0
vllm-worker-0.vllm vllm-worker-0`,
		check: func(s *story, pods map[string]*corev1.Pod) {
			for _, pod := range pods {
				s.requireKnows(pod, "LEADER=vllm-leader-0.vllm", "FC_TASK_COUNT=2")
			}
		},
	},
	{
		name: "onlinetraining",
		play: func(s *story) { memberComesBack(s, "onlinetraining", 4, "trainer", 0) },
		want: `
AttemptRunning attempt=0 retried=0/0
queue-0 AttemptRunning retried=0/0
trainer-0 AttemptRunning retried=1/1
server-0 AttemptRunning retried=0/0
server-1 AttemptRunning retried=0/0`,
		reach: `
onlinetraining-queue-0.onlinetraining:6379 onlinetraining-queue-0
onlinetraining-server-0.onlinetraining onlinetraining-server-0`,
		check: serversHaveWhatIsTrained,
	},
}

// memberComesBack deletes a Pod when all run, and waits for the next one: with the same name, and the same volume.
func memberComesBack(s *story, name string, tasks int32, role string, index int32) {
	s.t.Helper()
	s.awaitAllRunning(name, tasks)
	member := v1.PodName(name, role, index)
	first := until(s, thePods, member, "running", isRunning)
	s.deletePod(member)
	second := until(s, thePods, member, "running again", func(p *corev1.Pod) bool { return isRunning(p) && p.UID != first.UID })
	was := fmt.Sprint(first.Spec.Hostname, first.Spec.Subdomain, claimOf(first))
	if is := fmt.Sprint(second.Spec.Hostname, second.Spec.Subdomain, claimOf(second)); is != was {
		s.t.Errorf("%s came back as %q, was %q", member, is, was)
	}
}

// eachHasItsVolume: the claim has the name of the Pod, and is bound, so it exists and the Pod uses it.
func eachHasItsVolume(s *story, pods map[string]*corev1.Pod) {
	for name, pod := range pods {
		if got := claimOf(pod); got != name {
			s.t.Errorf("Pod %s has claim %q", name, got)
		}
		until(s, claims, name, "bound", func(c *corev1.PersistentVolumeClaim) bool { return c.Status.Phase == corev1.ClaimBound })
	}
}

func brokersHaveNumbers(s *story, pods map[string]*corev1.Pod) {
	eachHasItsVolume(s, pods)
	for i := range 3 {
		pod := pods[fmt.Sprintf("kafka-broker-%d", i)]
		env := s.environment(pod.Spec.Containers[0])
		got := env["KAFKA_NODE_ID"] + " " + env["KAFKA_ADVERTISED_LISTENERS"]
		if want := fmt.Sprintf("%d PLAINTEXT://broker-%d.kafka-broker:9092", i, i); got != want {
			s.t.Errorf("%s is %s, want %s", pod.Name, got, want)
		}
		if links := pod.Spec.EnableServiceLinks; links == nil || *links {
			s.t.Errorf("%s gets variables for Services", pod.Name)
		}
	}
}

// serverHasModel: the init container puts the model where the server looks for it.
func serverHasModel(s *story, pods map[string]*corev1.Pod) {
	for name, pod := range pods {
		put, look := pod.Spec.InitContainers[0].VolumeMounts[0], pod.Spec.Containers[0].VolumeMounts[0]
		if put.Name != look.Name || put.MountPath != "/models" || look.MountPath != "/models" {
			s.t.Errorf("%s: put into %v, looked for in %v", name, put, look)
		}
	}
}

// hbaseKnowsWhereItsDataAre: its servers have the addresses of ZooKeeper, and of the name node of another Framework.
func hbaseKnowsWhereItsDataAre(s *story, pods map[string]*corev1.Pod) {
	for _, name := range []string{"hbase-master-1", "hbase-regionserver-3"} {
		spec := pods[name].Spec
		if m := spec.Containers[0].VolumeMounts[0]; spec.Volumes[0].ConfigMap.Name != "hbase" || m.SubPath != "hbase-site.xml" {
			s.t.Errorf("%s has its configuration from %v", name, m)
		}
	}
	site := s.configMap("hbase")["hbase-site.xml"]
	for _, address := range []string{"<value>hbase-zookeeper-0.hbase</value>", "<value>hdfs://namenode-0.hdfs:8020/hbase</value>"} {
		if !strings.Contains(site, address) {
			s.t.Errorf("there is no %s in:\n%s", address, site)
		}
	}
	list, err := s.pods.List(s.t.Context(), frameworkLabel("hdfs"))
	require.NoError(s.t, err)
	hdfs := map[string]*corev1.Pod{}
	for _, p := range list.Items {
		hdfs[p.Name] = &p
	}
	s.requireReach(hdfs, "namenode-0.hdfs:8020 hdfs-namenode-0")
}

// serversHaveWhatIsTrained: trainer and servers have one volume, and the servers look where the trainer saves.
func serversHaveWhatIsTrained(s *story, pods map[string]*corev1.Pod) {
	for _, name := range []string{"onlinetraining-trainer-0", "onlinetraining-server-0", "onlinetraining-server-1"} {
		if claim, volume := claimOf(pods[name]), mountedAt(pods[name].Spec.Containers[0], "/models"); claim != "onlinetraining" || volume != "models" {
			s.t.Errorf("%s has %q at /models, from %q", name, volume, claim)
		}
	}
	model := "/models/" + s.environment(pods["onlinetraining-server-0"].Spec.Containers[0])["MODEL_NAME"]
	if told := s.told(pods["onlinetraining-trainer-0"]); !strings.Contains(told, `"`+model+`"`) {
		s.t.Errorf("the trainer does not save to %s:\n%s", model, told)
	}
}
