package v1

// AtOnce returns how many Tasks of the role may have a Pod at a time: all of them, unless there is a parallelism. A negative taskNumber
// counts as 0, and a parallelism below 1 as 1; the CRD admits neither.
func (role *TaskRoleSpec) AtOnce() int32 {
	number := max(role.TaskNumber, 0)
	if role.Parallelism == nil {
		return number
	}
	return min(number, max(*role.Parallelism, 1))
}
