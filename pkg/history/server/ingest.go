package server

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

const (
	// The limits of a request, in bytes, records, and bytes of a key.
	mostBody    = 8 << 20
	mostRecords = 1000
	mostKey     = 1 << 10

	protobuf       = "application/x-protobuf"
	defaultCluster = "default"
)

var clusterName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

// ingest stores the records of a sink.
func (s *Server) ingest(w http.ResponseWriter, r *http.Request) error {
	if err := s.mayWrite(r); err != nil {
		return err
	}
	leave, err := s.place(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	cluster, records, err := readRecords(w, r)
	if err != nil {
		if len(records) == 1 { // a sink halves a refused request, so this is the end of the record
			s.refused.Add(1)
		}
		return err
	}
	keys, err := s.store.Ingest(r.Context(), cluster, records)
	if err != nil {
		s.log.Warn("storing records", "cluster", cluster, "records", len(records), "error", err)
		return problem(http.StatusServiceUnavailable, "the records cannot be stored at the moment: send them again")
	}
	return writeMessage(w, &pluginpb.StoreResponse{Keys: keys})
}

func writeMessage(w http.ResponseWriter, m proto.Message) error {
	body, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", protobuf)
	_, _ = w.Write(body)
	return nil
}

// place waits until few enough requests are under way, so that many sinks at once do not fill the memory.
func (s *Server) place(ctx context.Context) (leave func(), err error) {
	timer := time.NewTimer(placeTimeout)
	defer timer.Stop()
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	case <-timer.C:
		return nil, problem(http.StatusTooManyRequests, "too many records arrive at once: send them later")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func readRecords(w http.ResponseWriter, r *http.Request) (cluster string, records []*pluginpb.Record, err error) {
	var request pluginpb.StoreRequest
	if cluster, err = readMessage(w, r, &request); err != nil {
		return "", nil, err
	}
	return cluster, request.GetRecords(), checkRecords(request.GetRecords())
}

// readMessage reads the body of a request by a sink, and the name of its cluster.
func readMessage(w http.ResponseWriter, r *http.Request, into proto.Message) (cluster string, err error) {
	cluster = r.Header.Get("X-Cluster")
	switch {
	case cluster == "":
		cluster = defaultCluster
	case !clusterName.MatchString(cluster):
		// Not 400: the name is wrong, and not the records, which their sink keeps until the name is corrected.
		return "", problem(http.StatusUnprocessableEntity, "header X-Cluster: not a name of at most 63 letters, digits, '.', '_' and '-'")
	}
	if got := r.Header.Get("Content-Type"); got != protobuf {
		return "", problem(http.StatusUnsupportedMediaType, "header Content-Type: not %s", protobuf)
	}
	body, err := readBody(w, r)
	if err != nil {
		return "", err
	}
	// Texts with invalid UTF-8 are an error of protobuf, so they do not get here.
	if err := proto.Unmarshal(body, into); err != nil {
		return "", problem(http.StatusBadRequest, "the body is no %s: %v", into.ProtoReflect().Descriptor().Name(), err)
	}
	return cluster, nil
}

// readBody reads a body of limited size, packed or not. Its records are not to blame if it arrives cut off or damaged: the
// answers are not 400, after which a sink would drop them.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var reader io.Reader = http.MaxBytesReader(w, r.Body, mostBody)
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip":
		z, err := gzip.NewReader(reader)
		if err != nil {
			return nil, cutOff(err)
		}
		reader = z
	default:
		return nil, problem(http.StatusUnsupportedMediaType, "header Content-Encoding: not gzip")
	}
	body, err := io.ReadAll(io.LimitReader(reader, mostBody+1))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) || len(body) > mostBody {
		return nil, problem(http.StatusRequestEntityTooLarge, "the body has more than 8 MiB: send fewer records at once")
	}
	if err != nil {
		return nil, cutOff(err)
	}
	return body, nil
}

func cutOff(err error) error {
	return problem(http.StatusRequestTimeout, "the body did not arrive whole: send it again: %v", err)
}

func checkRecords(records []*pluginpb.Record) error {
	if len(records) > mostRecords {
		return problem(http.StatusRequestEntityTooLarge, "%d records: at most %d are allowed", len(records), mostRecords)
	}
	for i, r := range records {
		switch {
		case r.GetKey() == "" || len(r.GetKey()) > mostKey:
			return problem(http.StatusBadRequest, "record %d: the key is empty, or has more than 1 KiB", i)
		case r.GetFramework().GetUid() == "" && r.GetPresence() == nil:
			return problem(http.StatusBadRequest, "record %d: the Framework has no UID", i)
		}
	}
	return nil
}
