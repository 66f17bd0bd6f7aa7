// Package store keeps the records of history sinks in SQLite or PostgreSQL, and answers the queries of the history server.
//
// It promises one row for each key of a record, however often and in whichever order records arrive; that an acknowledged record survives a
// crash of the process and, with SQLite's synchronous=FULL, of the machine; and that no query counts all rows or reads more than its time
// range. Access control is left to package server.
//
//	s, err := store.Open(ctx, store.Options{Database: "history.db", Log: log})
//	keys, err := s.Ingest(ctx, "default", records)
//	page, err := s.Frameworks(ctx, store.FrameworkQuery{Namespace: "default", Range: store.Range{Since: since}, Limit: 100})
//
// Vocabulary:
//
//   - Record: a unit that a sink stores; see the service HistorySink of the plugin contract.
//   - Outcome: code, phrase, type, attributes, plugin and rule of a completion. Rows refer to it by number, because few outcomes differ.
//   - Usage: counts and seconds of attempts of Tasks, summed up for each day when they arrive, so that a report over millions
//     of attempts reads thousands of rows.
package store
