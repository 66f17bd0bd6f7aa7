// Package statusjson knows the form in which a Framework's status is stored: plain, or with its largest part
// compressed, so that the object stays below what the API server's storage takes (contract 7).
//
// It promises that everything that Encode writes, and everything that the original controller has written, can
// be read by Decode, and that reading is safe for data that anybody may have written.
//
//	status, err := statusjson.Decode(stored)          // always plain
//	text, report, err := encoder.Encode(status, roles) // one encoder for each Framework
//
// Raw means the JSON of attemptStatus.taskRoleStatuses as such. Compressed means its gzip, in base64, under
// attemptStatus.taskRoleStatusesCompressed, while the raw field is null.
package statusjson
