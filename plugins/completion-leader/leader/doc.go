// Package leader ends an attempt as its leader does: one Task, or all Tasks of a role.
//
// It promises that the attempt fails with the leader's first final failure, succeeds once the whole leader has
// succeeded, and keeps running until then, whatever other Tasks do. If there is no such leader (no role of that name,
// or none of its Tasks, or no Task of that index), it has no opinion; but if the Framework itself names the leader, it
// refuses.
//
//	plugin.Serve(leader.New())  // parameters: leader: {role: chief, index: 0}; without index the whole role
package leader
