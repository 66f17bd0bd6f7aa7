package kubectl

// examples are shown in the help of each command.
var examples = map[string]string{
	"list": `
  # Frameworks of a namespace, and all that wait for something
  kubectl framework list -n research
  kubectl framework list -A --waiting

  # delete what has failed
  kubectl framework list --failed -o name | xargs -r kubectl delete`,
	"tree": `
  # roles and Tasks, with those that look alike on one line
  kubectl framework tree train

  # the first attempt, from the history, with each Task on its own line
  kubectl framework tree train --attempt 0 --all`,
	"tasks": `
  # the Tasks of role worker that have failed or wait for a retry, with the messages of failures
  kubectl framework tasks train worker --state Failed,Retrying -o wide

  # the Tasks on a node
  kubectl framework tasks train --node node-7 --sort-by age

  # the Tasks of the first attempt, from the history
  kubectl framework tasks train --attempt 0`,
	"explain": `
  # why it waits, is retried or has ended, and what to do
  kubectl framework explain train

  # the same for a role, and for one Task
  kubectl framework explain train worker
  kubectl framework explain train worker/3

  # how the first attempt ended, from the history
  kubectl framework explain train --attempt 0`,
	"logs": `
  # the logs of all Tasks, once and continuously
  kubectl framework logs train
  kubectl framework logs train -f --since 1m

  # the last lines of one role and of one Task of another
  kubectl framework logs train ps worker/3 --tail 20

  # a sidecar, and the previous run of a container
  kubectl framework logs train worker -c proxy
  kubectl framework logs train worker/3 --previous

  # from the history: a Task of the first attempt, and who failed first in it, with what all Tasks logged around that time
  kubectl framework logs train worker/3 --attempt 0
  kubectl framework logs train --first-failure --around 5m --attempt 0`,
	"watch": `
  kubectl framework watch train

  # a line for each change
  kubectl framework watch train | cat`,
	"events": `
  kubectl framework events train --warnings`,
	"wait": `
  # until it has succeeded, or no longer can
  kubectl framework wait train --timeout 2h && echo done

  # until it runs
  kubectl framework wait train --for=running --timeout 10m`,
	"plugins": `
  kubectl framework plugins -A

  # with the metrics of a controller outside the cluster
  kubectl framework plugins --metrics http://127.0.0.1:8080/metrics`,
	"history": `
  # which Frameworks ran in the last two days, and which have failed
  kubectl framework history --since 2d
  kubectl framework history --failed -A

  # the attempts of a Framework, the Tasks of its first one, and all attempts of a Task
  kubectl framework history train
  kubectl framework history train --attempt 0
  kubectl framework history train worker/3

  # what failed on a node
  kubectl framework history --node node-7 --failed -A`,
	"report": `
  # what was lost to which cause, and on which nodes
  kubectl framework report -A --by code
  kubectl framework report -A --by node --since 7d

  # the share of each team, by a label of its Frameworks, for a spreadsheet
  kubectl framework report -A --by label:team -o csv > report.csv`,
	"export": `
  kubectl framework export attempts.csv --since 30d -A

  kubectl framework export - -o json | jq -r .node | sort | uniq -c

  # for pandas or DuckDB
  kubectl framework export --parquet history --since 90d -A`,
	"ui": `
  # the Frameworks of a namespace, and one Framework
  kubectl framework ui -n research
  kubectl framework ui train

  # on another machine: print the address, and forward its port with ssh -L PORT:127.0.0.1:PORT
  kubectl framework ui --no-open`,
	"create": `
  # four workers with eight GPUs each, placed together in a queue, and retried together twice
  kubectl framework create train --role worker=4 --image train:1 --gpu 8 --gang --queue research --retries 2 -- python train.py

  # each worker starts once all have addresses
  kubectl framework create train --role worker=4 --image train:1 --barrier -- sh -c 'echo $FB_WORKER_IPS'

  # two roles with images of their own; it has succeeded when all workers have
  kubectl framework create train --role ps=1 --role worker=4 --image ps=serve:1 --image worker=train:1 --succeed-at worker=4

  # the manifest
  kubectl framework create train --image train:1 --dry-run=client -o yaml > train.yaml`,
	"start": `
  kubectl framework start train`,
	"stop": `
  # print the patch without sending it
  kubectl framework stop train --dry-run=client

  kubectl framework stop train --yes`,
	"delete": `
  kubectl framework delete train

  # at once, and without being asked
  kubectl framework delete train --now --yes`,
	"scale": `
  # two roles, and the number of workers that must succeed, in one change
  kubectl framework scale train worker=5 ps=2 --succeed-at worker=5

  # check whether the API server would accept it
  kubectl framework scale train worker=2 --dry-run=server`,
	"simulate": `
  # other rules, on failures of all namespaces
  kubectl framework simulate -f rules.yaml -A

  # other rules, on the failures that the history has of a month
  kubectl framework simulate -f rules.yaml -A --from history --since 30d

  # a plugin, with its parameters from a configuration, on failures that were saved
  kubectl get fw -A -o json > failures.json
  kubectl framework simulate --plugin bin/plugins/classifier-exitcodes -f plugins.yaml --from failures.json`,
	"convert": `
  kubectl framework convert -f job.yaml > framework.yaml
  kubectl framework convert -f jobs/ -f services.yaml --strict > frameworks.yaml
  kubectl get jobset train -o yaml | kubectl framework convert -f -`,
	"completion": `
  # for kubectl framework, in a folder that is on the PATH
  kubectl framework completion > ~/bin/kubectl_complete-framework
  chmod +x ~/bin/kubectl_complete-framework

  # for kubectl-framework itself
  source <(kubectl framework completion bash)`,
	"version": `
  kubectl framework version`,
}
