package controller

import "strings"

// longestMessage keeps a condition or event readable, and within what the API server accepts. Webhooks may say much.
const longestMessage = 1024

// cut shortens a text to so many bytes at most, and not within a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
