// Clock prints the time in seconds, and how many milliseconds it measures for a tenth of a second.
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
