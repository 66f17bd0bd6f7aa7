package reason_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// emitters are the packages that emit events and write conditions.
var emitters = []string{"../lifecycle", "../controller"}

// notReasons are texts there that look like reasons, and are none of the controller's.
var notReasons = map[string]string{
	"ConfigMap": "a kind", "Service": "a kind", "Secret": "a kind", "DeleteOptions": "a kind", "Pod": "a kind", "PodList": "a kind",
	"Attempt": "a prefix of states", "Pending": "a phase of Pods", "Deleted": "a word of the log",
	"Succeeded": "a phase of Pods, and a reason of the condition Completed", "Failed": "a phase of Pods",
	"Unscheduled": "what keeps a Pod from running", "ImagePull": "the same", "ContainerCreate": "the same", "NotRunning": "the same",
	"Busy": "why a plugin gets no events", "Late": "the same",
	"Status": "a kind", "True": "the status of a condition", "Established": "a condition of CRDs", "Running": "a phase of Pods",
	"Accept": "a header", "ContainerStatusUnknown": "a reason of containers", "All": "a dry run",
	"Stopped": "a reason of the condition Suspended", "NothingInTheWay": "a reason of the condition Waiting when it is false",
	"StatusRepaired": "a reason of the condition StatusInvalid when it is false",
}

// Every reason is a typed one, of which there is a row; and each row is for one that somebody emits.
func TestEmittedReasonsHaveRows(t *testing.T) {
	literals, used := map[string]bool{}, map[string]bool{}
	for _, file := range sources(t, emitters...) {
		ast.Inspect(file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && reasonForm.MatchString(text) {
					literals[text] = true
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Event" && len(n.Args) == 1 && isReason(f.X) {
					t.Errorf("a text is made a reason of an event: %v", n.Args[0])
				}
			case *ast.SelectorExpr:
				if isReason(n.X) {
					used[n.Sel.Name] = true
				}
			}
			return true
		})
	}
	for text := range literals {
		if row := reason.Event(text).Row(); row.Reason != "" {
			t.Errorf("%q is written out: use reason.%s", text, text)
		}
		if isKnown := slices.Contains(actions, text) || isWaiting(text) || isPhrase(text) || notReasons[text] != "" || ofKubernetes[text] != ""; !isKnown {
			t.Errorf("%q looks like a reason, and no row is for it; if it is none, say so in notReasons", text)
		}
	}
	for text := range notReasons {
		if !literals[text] {
			t.Errorf("%s is in notReasons, and nowhere else", text)
		}
	}
	for _, row := range reason.EventTable() {
		isDeletion := row.Reason == reason.Pod.EventReason() || row.Reason == reason.ConfigMap.EventReason() // by Kind.EventReason
		if !used[string(row.Reason)] && !isDeletion {
			t.Errorf("%s has a row, and is never emitted", row.Reason)
		}
	}
}

// actions are the names of what is done, in status.waiting.
var actions = []string{
	"ArchiveAttempt", "ArchiveTask", "AskHints", "ClassifyPod", "CollectLogs", "CreateConfigMap", "CreatePod", "DecideCompletion", "DeleteConfigMap", "DeleteFramework", "DeletePod",
	"DeleteClaim", "DeleteSecret", "DeleteService", "JudgeStart", "KeepClaim", "KeepSecret", "KeepService", "PrepareHints", "ReadConfigMap", "ReadItems", "ReadPod",
}

// ofKubernetes are reasons of others, by which Pods are looked at.
var ofKubernetes = map[string]string{
	"ContainerCreating": "a reason of the kubelet", "PodInitializing": "a reason of the kubelet", "CrashLoopBackOff": "a reason of the kubelet",
	"ErrImagePull": "a reason of the kubelet", "ImagePullBackOff": "a reason of the kubelet", "InvalidImageName": "a reason of the kubelet",
	"ErrImageNeverPull": "a reason of the kubelet", "ImageInspectError": "a reason of the kubelet", "RegistryUnavailable": "a reason of the kubelet",
	"SignatureValidationFailed": "a reason of the kubelet",
}

// reasonForm is how a reason looks: PascalCase.
var reasonForm = regexp.MustCompile(`^[A-Z][a-z]+([A-Z]+[a-z]+)*$`)

func isReason(x ast.Expr) bool {
	of, ok := x.(*ast.Ident)
	return ok && of.Name == "reason"
}

func isWaiting(text string) bool {
	return slices.ContainsFunc(reason.WaitingTable(), func(row reason.WaitingRow) bool { return string(row.Reason) == text })
}

func isPhrase(text string) bool {
	return text == completion.PhraseContainerUnrecognizedFailed ||
		slices.ContainsFunc(completion.Table(), func(e completion.Entry) bool { return e.Phrase == text })
}

// sources are the files of folders and the folders in them, without tests and what serves only those.
func sources(t *testing.T, dirs ...string) (files []*ast.File) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "apitest" || d.Name() == "lifecycletest"):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			files = append(files, file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) < 50 {
		t.Fatalf("only %d files were found", len(files))
	}
	return files
}
