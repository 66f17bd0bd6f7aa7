package store

import (
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/ncruces/go-sqlite3"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// refused reports that the database does not take the values of a record, however often they are sent.
func refused(err error) bool {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) && len(e.Code) == 5 {
		// Cardinality violation, data exception, integrity constraint violation, program limit exceeded.
		return slices.Contains([]string{"21", "22", "23", "54"}, e.Code[:2])
	}
	return errors.Is(err, sqlite3.TOOBIG) || errors.Is(err, sqlite3.CONSTRAINT) || errors.Is(err, sqlite3.MISMATCH)
}

// commitTaken stores the records of a refused request that the database accepts, by halves, and drops the others: their sender would repeat
// them for ever.
func (s *Store) commitTaken(r *request, cause error) error {
	switch len(r.records) {
	case 0:
		return cause
	case 1:
		s.counts.refused.Add(1)
		s.options.Log.Error("record dropped: the database refuses it", "cluster", r.cluster, "key", r.records[0].GetKey(), "error", cause)
		return nil
	}
	middle := len(r.records) / 2
	for _, records := range [][]*pluginpb.Record{r.records[:middle], r.records[middle:]} {
		half := &request{cluster: r.cluster, records: records}
		err := s.commit([]*request{half})
		if refused(err) {
			err = s.commitTaken(half, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
