package e2e

// gangExamples are for schedulers that are not here: their Frameworks run without one, too.
var gangExamples = []example{
	{name: "gangnative", want: oneGang, pods: 4},
	{name: "gangcoscheduling", want: oneGang, pods: 4},
	{name: "gangyunikorn", want: oneGang, pods: 4},
	{name: "ganghived", want: oneGang, pods: 4},
}

const oneGang = `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=worker-\d
ps-0 Completed retried=0/0 code=-220 FrameworkAttemptCompletion
worker-0 Completed retried=0/0 code=0 Succeeded
worker-1 Completed retried=0/0 code=0 Succeeded
worker-2 Completed retried=0/0 code=0 Succeeded`
