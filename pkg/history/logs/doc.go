// Package logs decides which part of a container's log is kept, and has the form in which it is stored. It does no I/O.
//
// A log of any size passes through in bounded memory. The kept bytes are the bytes that the container wrote, except where a pattern was
// redacted. A line is cut only if it is longer than the limit. Package collect reads from the API server, and package store writes the
// rows.
//
//	kept := logs.NewKept(plan.Limits, budget)
//	err := logs.Scan(stream, kept.Add)
//	parts := kept.Parts(config.Redaction)
//
// Vocabulary:
//
//   - Line: a line with the time at which the container wrote it, or a piece of a long line.
//   - Head, tail: the beginning and the end of a log. The part between them is skipped.
//   - Block: lines that are compressed together. The database has a row for each, with its times and sizes as an index.
package logs
