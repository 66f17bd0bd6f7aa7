// Clock says what time it is, in seconds, and how many milliseconds have passed when a tenth of a second has.
package main

import (
	"fmt"
	"time"
)

func main() {
	now := time.Now()
	time.Sleep(100 * time.Millisecond)
	fmt.Println(now.Unix(), time.Since(now).Milliseconds())
}
