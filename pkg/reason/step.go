package reason

// Step is a command, and its purpose.
type Step struct {
	// Command has names in braces: {framework}, {namespace}, {role}, {task}, {pod} and {node}. A caller that shows
	// the command puts names there, and leaves out a command if a name is not known.
	Command string `json:"command"`
	// Why follows after the command in a list, as in "shows which nodes are ready".
	Why string `json:"why"`
}

// The commands that several rows have.
var (
	DescribePod     = Step{"kubectl describe pod {pod} -n {namespace}", "shows the Pod and its events"}
	SeeNodes        = Step{"kubectl get nodes", "shows which nodes are ready"}
	SeeNode         = Step{"kubectl describe node {node}", "shows the state of the node and what runs on it"}
	SeeEvents       = Step{"kubectl framework events {framework} -n {namespace}", "shows what has happened, in order"}
	SeeTasks        = Step{"kubectl framework tasks {framework} -n {namespace}", "shows each Task and its code"}
	SeeLogs         = Step{"kubectl framework logs {framework} {task} -n {namespace}", "shows what the Task has printed"}
	SeeSpec         = Step{"kubectl get fw {framework} -n {namespace} -o yaml", "shows the spec that was stored"}
	EditSpec        = Step{"kubectl edit fw {framework} -n {namespace}", "changes the spec"}
	SeePlugins      = Step{"kubectl framework plugins -n {namespace}", "shows the plugins of the controller and their states"}
	SeeQuota        = Step{"kubectl describe quota -n {namespace}", "shows what the quota allows and what is used"}
	SeeController   = Step{"kubectl get pods -A -l app.kubernetes.io/name=frameworkcontroller", "shows whether the controller runs"}
	AskAPIServer    = Step{"kubectl version", "shows whether the API server answers"}
	StartFramework  = Step{"kubectl framework start {framework} -n {namespace}", "lets it go on"}
	explainTask     = Step{"kubectl framework explain {framework} {task} -n {namespace}", "says how the attempt ended, and what follows"}
	explainAttempt  = Step{"kubectl framework explain {framework} -n {namespace}", "says why the attempt ended, and what follows"}
	explainAllTasks = Step{"kubectl framework explain {framework} -n {namespace}", "says how all Tasks stand"}
)
