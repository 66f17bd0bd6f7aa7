// Package statusjson implements the stored form of a Framework's status: plain, or with its largest part compressed, so that
// the object stays below the limit of the API server's storage (contract 7).
//
// It promises that Decode can read everything written by Encode or by the original controller, and that reading is safe for
// data from anybody.
//
//	status, err := statusjson.Decode(stored)          // always plain
//	text, report, err := encoder.Encode(status, roles) // one encoder for each Framework
//
// Raw means the JSON of attemptStatus.taskRoleStatuses as such. Compressed means its gzip, in base64, under
// attemptStatus.taskRoleStatusesCompressed, while the raw field is null.
package statusjson
