// Package spool keeps records on disk, in their order, until their reader is done with them.
//
// A record is on disk once Append has returned without error, even if the process or the machine crashes then. It is returned until its
// batch is done. After a crash, a record may be returned again. A record that was written in part is cut.
// A damaged segment returns the records before the damage. It is then kept under another name, so it never blocks other segments. The
// size is limited.
//
// Several processes may use a directory at the same time, as a plugin that is replaced runs beside its successor. Each
// segment belongs to the process that has locked its file, and the end of the process frees it for the others.
//
//	s, err := spool.Open(directory, 32<<20, log)
//	err = s.Append(records)
//	batch := s.Oldest() // nil if there is none
//	...                 // take batch.Records
//	batch.Done()
package spool
