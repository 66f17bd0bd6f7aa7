package convert

// startCodes maps an exit code of a container to further codes of the default rules.
var startCodes = map[int64][]int64{
	125: {-1201},
	126: {-1202, -1206},
	127: {-1203, -1207},
	128: {-1204, -1208},
	137: {-1200},
	159: {-1209},
}

// disruptionCodes are the codes of disrupted Pods: deleted by others, evicted, preempted by the kubelet, on a node that shuts
// down.
var disruptionCodes = []int64{-101, -1000, -1003, -1007}

// podFailures takes the Job's rules for known failures of Pods. They become budgets, where the first match decides, as with rules.
func (c *conversion) podFailures(spec *fields, j *jobRole, perIndex bool) {
	rules := spec.object("podFailurePolicy").objects("rules")
	for i, rule := range rules {
		max, known := c.ruleRetries(rule, perIndex, i == len(rules)-1)
		codes := append(c.exitCodes(rule.object("onExitCodes"), j), c.conditionCodes(rule)...)
		if !known {
			continue
		}
		for _, code := range codes {
			j.retry.add(code, max)
			if max == 0 {
				j.failed = append(j.failed, code)
			}
		}
	}
}

// ruleRetries returns the number of retries for a Pod that matches a rule; known is false if no budget can express it.
func (c *conversion) ruleRetries(rule *fields, perIndex, last bool) (max int64, known bool) {
	switch action := rule.text("action"); action {
	case "FailJob":
		if perIndex {
			rule.note("action", "FailJob ends the Job at once; in the Framework the Task fails for good, and the others go on as long as minFailedTaskCount allows")
		}
		return 0, true
	case "FailIndex":
		return 0, true
	case "Ignore":
		return unlimited, true
	case "Count":
		if !last {
			rule.note("action", "Count keeps failures from later rules; in the Framework the later rules apply to them, because a budget would count them separately")
		}
	default:
		rule.wrong(rule.at("action"), "%q is not an action of a rule", action)
	}
	return 0, false
}

// exitCodes returns the codes of a rule for exit codes.
func (c *conversion) exitCodes(on *fields, j *jobRole) (codes []int64) {
	if on.empty() {
		return nil
	}
	operator, values := on.oneOf("operator", "In", "NotIn"), on.numbers("values")
	if on.text("containerName") != "" && len(j.pod.containers()) > 1 {
		on.note("containerName", "a budget applies to the container that failed last, whatever its name")
	}
	if operator == "NotIn" {
		on.note("operator", "a budget lists the codes to which it applies: reverse the rule, with budgets for %v and a different maxRetryCount", values)
		return nil
	}
	for _, value := range values {
		codes = append(append(codes, value), startCodes[value]...)
	}
	return codes
}

// conditionCodes returns the codes of a rule for conditions of Pods.
func (c *conversion) conditionCodes(rule *fields) (codes []int64) {
	for _, on := range rule.objects("onPodConditions") {
		status := on.text("status")
		if kind := on.text("type"); kind != "DisruptionTarget" || status != "" && status != "True" {
			on.note("type", "%s=%s has no exit code in a Framework; a rule in podFailureSpec of the controller's configuration can assign one", kind, status)
			continue
		}
		codes = append(codes, disruptionCodes...)
	}
	return codes
}
