package kubectl

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

type creating struct {
	*caller
	output
	blueprint
	dryRun dryRun
}

func (c *caller) create() *cobra.Command {
	n := &creating{caller: c}
	cmd := &cobra.Command{
		Use:   "create NAME --image IMAGE [--role ROLE=NUMBER...] [-- COMMAND ARGS...]",
		Short: "Create a Framework from the command line",
		Long: `Create a Framework from the command line.

All Tasks of all roles run COMMAND, or the entrypoint of their image. The Framework succeeds once all Tasks have succeeded, and
fails with the first Task that fails for good. Transient failures, such as a lost node, are retried without being counted.
With --gang or --barrier, all Tasks are retried together; otherwise, each by itself.

--image, --gpu, --cpu and --memory apply to all roles, or to one if they are written as ROLE=VALUE.

With --dry-run=client -o yaml, it prints the manifest and does not access a cluster: keep it as a file, and add to it what has
no flag. To create a Framework from a file, use kubectl create -f FILE.`,
		Args:              n.takesNameAndCommand,
		ValidArgsFunction: completeCommand,
		RunE:              n.run,
	}
	n.addFlags(cmd)
	return cmd
}

func (n *creating) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&n.roles, "role", nil, "Role and the number of its Tasks, such as worker=4. May be repeated. (default "+defaultRole+")")
	f.StringArrayVar(&n.images, "image", nil, "Image of the main container, such as train:1, or ps=serve:1 for one role.")
	f.StringArrayVar(&n.gpus, "gpu", nil, "GPUs of each Task, such as 8, or worker=8 for one role.")
	f.StringVar(&n.gpuResource, "gpu-resource", defaultGPUResource, "Resource that --gpu counts.")
	f.StringArrayVar(&n.cpus, "cpu", nil, "CPU that each Task requests, such as 4 or 500m, or worker=4 for one role.")
	f.StringArrayVar(&n.memories, "memory", nil, "Memory that each Task requests and is limited to, such as 16Gi, or worker=16Gi for one role.")
	f.StringArrayVarP(&n.env, "env", "e", nil, "Environment variable of the main containers, such as EPOCHS=10. May be repeated.")
	f.Int32Var(&n.retries, "retries", 0, "Retries after failures that count: of each Task, or of the whole Framework with --gang or --barrier. -1 has no limit.")
	f.StringArrayVar(&n.succeedAt, "succeed-at", nil, "Number of Tasks of a role whose success completes the Framework, such as worker=4. By default, all Tasks must succeed.")
	f.StringArrayVar(&n.failAt, "fail-at", nil, "Number of failed Tasks of a role that fails the Framework, such as worker=2. By default 1.")
	f.BoolVar(&n.gang, "gang", false, "Place all Tasks together. Needs the plugin of a scheduler; without it, only --gang-timeout applies.")
	f.Duration("gang-timeout", 0, "Time for the gang to be placed before its Pods are deleted and it is retried; 0 waits forever. (default 10m, with --queue 30m)")
	f.StringVar(&n.queue, "queue", "", "Queue of the cluster's scheduler, which its plugin reads.")
	f.BoolVar(&n.barrier, "barrier", false, "Start the command once all Tasks have addresses, which it finds in FB_{ROLE}_IPS. Needs sh in the image.")
	f.StringVar(&n.barrierImage, "barrier-image", defaultBarrierImage, "Image of the barrier, which --barrier adds.")
	f.StringVar(&n.serviceAccount, "service-account", "", "ServiceAccount of the Pods. (default with --barrier: "+barrierAccount+")")
	f.BoolVar(&n.dns, "dns", false, "Give each Pod a DNS name, such as train-worker-0.train, and the number of Tasks in FC_TASK_COUNT.")
	n.dryRun.addFlag(cmd, "client sends nothing; server has the API server check the Framework, and stores nothing.")
	n.output.addFlag(cmd, "yaml", "json", "name")
	for _, flag := range []string{"role", "image", "gpu", "gpu-resource", "cpu", "memory", "env", "retries", "succeed-at", "fail-at",
		"gang-timeout", "queue", "barrier-image", "service-account"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions)
	}
}

// takesNameAndCommand accepts a name, and a command after --.
func (n *creating) takesNameAndCommand(cmd *cobra.Command, args []string) error {
	before, after := args, []string(nil)
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		before, after = args[:at], args[at:]
		if len(after) == 0 {
			return errors.New("there is no command after --: add it, or leave out -- to run the entrypoint of the image")
		}
	}
	switch {
	case len(before) == 0:
		return fmt.Errorf("name the Framework to create: %s", cmd.UseLine())
	case len(before) > 1:
		return fmt.Errorf("unexpected argument %q: the command comes after --, and roles after --role: %s", before[1], cmd.UseLine())
	}
	n.name, n.command = bare(before[0]), after
	return nil
}

// completeCommand offers no files for the name, and files for the command. Where the command begins is unknown: cobra adds a --
// of its own.
func completeCommand(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

func (n *creating) run(cmd *cobra.Command, _ []string) error {
	if err := errors.Join(n.dryRun.check(), n.output.check()); err != nil {
		return err
	}
	flags := cmd.Flags()
	if flags.Changed("barrier-image") && !flags.Changed("barrier") {
		n.barrier = true
	}
	if flags.Changed("gang-timeout") {
		timeout, err := flags.GetDuration("gang-timeout")
		if err != nil {
			return err
		}
		n.gangTimeout = &timeout
	}
	n.namespace = *n.flags.Namespace
	f, err := n.framework()
	if err != nil {
		return err
	}
	object, err := manifestOf(f)
	if err != nil {
		return err
	}
	if n.dryRun != clientDryRun {
		if object, err = n.store(cmd.Context(), object); err != nil {
			return err
		}
	}
	return n.show(object)
}

// manifestOf returns a Framework without the fields that are empty, but that Go types always have.
func manifestOf(f *v1.Framework) (*unstructured.Unstructured, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(text, &object.Object); err != nil {
		return nil, err
	}
	prune(object.Object)
	return object, nil
}

// prune removes null, an empty description, a retryPolicy with zero values, and empty objects except gang and emptyDir.
func prune(object map[string]any) {
	maps.DeleteFunc(object, func(key string, value any) bool {
		switch v := value.(type) {
		case nil:
			return true
		case string:
			return key == "description" && v == ""
		case []any:
			for _, one := range v {
				if inner, ok := one.(map[string]any); ok {
					prune(inner)
				}
			}
		case map[string]any:
			prune(v)
			if key == "retryPolicy" && reflect.DeepEqual(v, map[string]any{"fancyRetryPolicy": false, "maxRetryCount": 0.0}) {
				return true
			}
			return len(v) == 0 && key != "gang" && key != "emptyDir"
		}
		return false
	})
}

// store creates the Framework.
func (n *creating) store(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	k, err := n.cluster()
	if err != nil {
		return nil, err
	}
	ctx, cancel := k.patient(ctx)
	defer cancel()
	o := metav1.CreateOptions{FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict}
	if n.dryRun == serverDryRun {
		o.DryRun = []string{metav1.DryRunAll}
	}
	made, err := k.objects.Namespace(k.namespace).Create(ctx, object, o)
	if err != nil {
		return nil, k.whyNotCreated(n.name, err)
	}
	made.SetManagedFields(nil)
	return made, nil
}

func (k *cluster) whyNotCreated(name string, err error) error {
	var answer apierrors.APIStatus
	switch {
	case apierrors.IsAlreadyExists(err):
		return fmt.Errorf("framework %s exists already in namespace %s: choose another name, or delete it first: kubectl framework delete %s -n %s",
			name, k.namespace, name, k.namespace)
	case apierrors.IsNotFound(err) && errors.As(err, &answer) && answer.Status().Details != nil && answer.Status().Details.Kind == "namespaces":
		return fmt.Errorf("there is no namespace %s: kubectl create namespace %s", k.namespace, k.namespace)
	}
	return k.inPlainWords(err)
}

func (n *creating) show(object *unstructured.Unstructured) error {
	switch {
	case n.format == "name":
		_, err := fmt.Fprintf(n.Out, "framework.%s/%s\n", v1.GroupName, n.name)
		return err
	case n.format == "yaml" && n.dryRun == clientDryRun:
		text, err := yaml.Marshal(object.Object)
		if err != nil {
			return err
		}
		_, err = data(n.Out).Write([]byte(withReasons(string(text))))
		return err
	case n.isDocument():
		return n.print(n.caller, object.Object)
	}
	_, err := fmt.Fprintf(n.Out, "framework/%s created%s\n", n.name, n.dryRun.note())
	return err
}

// reasons are comments on fields of a manifest, by the field and its value, or by the field alone.
var reasons = map[string]string{
	"fancyRetryPolicy: true":                          "transient failures, such as a lost node, are retried and not counted",
	"minFailedTaskCount: 1":                           "the first Task that fails for good fails the attempt",
	"minSucceededTaskCount: -1":                       "its successes alone do not complete the attempt",
	"timeoutSec":                                      "not placed by then: its Pods are deleted, and it is retried",
	"restartPolicy: Never":                            "the controller retries, not the kubelet",
	"terminationMessagePolicy: FallbackToLogsOnError": "explain shows the last lines of a failure",
	"enableServiceLinks: false":                       "Services named fb-... would disguise themselves as ports",
}

// withReasons adds the reasons, each where it is first needed. It returns the manifest unchanged if a comment would change its meaning, as
// in a command of several lines.
func withReasons(manifest string) string {
	var b strings.Builder
	seen := map[string]bool{}
	for line := range strings.Lines(manifest) {
		field := strings.TrimSpace(line)
		name, _, _ := strings.Cut(field, ": ")
		if why := cmp.Or(reasons[field], reasons[name]); why != "" && !seen[why] {
			seen[why] = true
			line = strings.TrimSuffix(line, "\n") + " # " + why + "\n"
		}
		b.WriteString(line)
	}
	var plain, commented any
	if yaml.Unmarshal([]byte(manifest), &plain) != nil || yaml.Unmarshal([]byte(b.String()), &commented) != nil || !reflect.DeepEqual(plain, commented) {
		return manifest
	}
	return b.String()
}
