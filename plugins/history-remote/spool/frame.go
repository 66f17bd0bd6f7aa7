package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A frame is a record in a file: the length, the checksum of the length, the checksum of the record, and the record. Without
// a checksum of its own, a damaged length would look like a record that was written in part.
const headerSize = 12

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errTorn means that a file ends within a frame, as after a crash during a write.
var errTorn = errors.New("it ends within a record")

func appendFrame(b []byte, r *pluginpb.Record) ([]byte, error) {
	record, err := proto.Marshal(r)
	if err != nil {
		return b, err
	}
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(record)))
	b = append(b, length...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(length, castagnoli))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(record, castagnoli))
	return append(b, record...), nil
}

// readFrame returns the first record of b, which must not be empty, and the rest.
func readFrame(b []byte) (r *pluginpb.Record, rest []byte, err error) {
	if len(b) < headerSize {
		return nil, b, errTorn
	}
	length := binary.LittleEndian.Uint32(b)
	if crc32.Checksum(b[:4], castagnoli) != binary.LittleEndian.Uint32(b[4:]) {
		return nil, b, errors.New("the length of a record is damaged")
	}
	if uint64(length) > uint64(len(b)-headerSize) {
		return nil, b, errTorn
	}
	record, rest := b[headerSize:headerSize+length], b[headerSize+length:]
	if crc32.Checksum(record, castagnoli) != binary.LittleEndian.Uint32(b[8:]) {
		return nil, b, errors.New("a record is damaged")
	}
	r = &pluginpb.Record{}
	if err := proto.Unmarshal(record, r); err != nil {
		return nil, b, fmt.Errorf("a record cannot be read: %w", err)
	}
	return r, rest, nil
}
