package kubectl

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// age is a flag for a time before now. Beside the units of Go it has days of 24 hours, in front.
type age time.Duration

func (a *age) Set(text string) error {
	days, rest := 0, text
	if before, after, found := strings.Cut(text, "d"); found {
		n, err := strconv.Atoi(before)
		if err != nil || n < 0 || n > 36500 {
			return fmt.Errorf("%q is not a number of days", before)
		}
		days, rest = n, after
	}
	var more time.Duration
	if rest != "" || days == 0 && text != "0d" {
		var err error
		if more, err = time.ParseDuration(rest); err != nil {
			return fmt.Errorf("%q is not a time such as 7d, 12h or 1d12h", text)
		}
	}
	if more < 0 {
		return fmt.Errorf("%q is negative", text)
	}
	*a = age(time.Duration(days)*24*time.Hour + more)
	return nil
}

func (a *age) String() string {
	const day = 24 * time.Hour
	days, rest := time.Duration(*a)/day, time.Duration(*a)%day
	text := rest.String()
	for _, zero := range []string{"m0s", "h0m"} { // 12h, not 12h0m0s
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	switch {
	case days == 0 && rest == 0:
		return "0s"
	case days == 0:
		return text
	case rest == 0:
		return fmt.Sprintf("%dd", days)
	}
	return fmt.Sprintf("%dd%s", days, text)
}

func (a *age) Type() string { return "duration" }
