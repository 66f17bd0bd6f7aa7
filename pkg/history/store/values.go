package store

import (
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// mostName limits names, roles, phrases and parts of labels, in bytes: an index of PostgreSQL takes no long ones.
const mostName = 400

// mostText limits every text that is stored, in bytes. The contract limits the longest one, a message, to 4 KiB.
const mostText = 8 << 10

// clean makes any bytes a text that both databases store: valid UTF-8, without NUL, and not too long.
func clean(text string) string { return cleanUpTo(text, mostText) }

// name is the same for texts with an index.
func name(text string) string { return cleanUpTo(text, mostName) }

func cleanUpTo(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if len(text) > most { // a replacement is longer than the byte it replaces
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

const (
	microsPerDay = int64(24 * time.Hour / time.Microsecond)
	// The years that a timestamp of protobuf can have. A time outside would not be readable as RFC 3339.
	firstMicro = -62135596800 * 1_000_000
	lastMicro  = 253402300799 * 1_000_000
)

// at returns a time, or nil if it is missing or invalid.
func at(t *timestamppb.Timestamp) *int64 {
	if t == nil || !t.IsValid() {
		return nil
	}
	return new(t.AsTime().UnixMicro())
}

// atOr returns the first time that there is; the last argument always is.
func atOr(t *timestamppb.Timestamp, or int64) int64 {
	if found := at(t); found != nil {
		return *found
	}
	return or
}

// mostMillis limits a duration to ten years, so that no sum of them exceeds 64 bits.
const mostMillis = int64(10 * 365 * 24 * time.Hour / time.Millisecond)

// between returns the milliseconds from one time to another; 0 if the clock went back.
func between(from, to int64) int64 { return min(max(0, to-from)/1000, mostMillis) }

// dayOf counts days from 1970, in UTC.
func dayOf(micros int64) int64 {
	day := micros / microsPerDay
	if micros%microsPerDay < 0 {
		day--
	}
	return day
}

// bounded keeps a time within the calendar.
func bounded(t time.Time) int64 { return min(max(t.UnixMicro(), firstMicro), lastMicro) }

func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func timeOrNil(micros *int64) *time.Time {
	if micros == nil {
		return nil
	}
	return new(timeOf(*micros))
}
