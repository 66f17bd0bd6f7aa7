package barrier

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

// longestValue is Linux's limit for one variable of the environment, NAME=value and the zero byte at its end. With a
// longer one, no program can be started.
const longestValue = 128 << 10

// longestPort is the maximum length of a port number.
const longestPort = len("65535")

// injector renders a script that POSIX shells source: it exports the addresses of each role, with the ports that are in
// FB_{ROLE}_PORT at that moment, or in FB_PORT. It may be sourced again with other ports, also under set -eu.
func (f *framework) injector() []byte {
	var out strings.Builder
	out.WriteString("#!/bin/bash\n")
	if isNull(f.status) {
		return []byte(out.String())
	}
	roles := f.peers()
	fmt.Fprintf(&out, "\necho %s\n", quoteWord(fmt.Sprintf("frameworkbarrier: addresses of %s", f.name)))
	for _, r := range roles {
		injectIPs(&out, r)
	}
	for _, r := range roles {
		injectAddresses(&out, r)
	}
	out.WriteString("echo 'frameworkbarrier: end of addresses'\n")
	return []byte(out.String())
}

func injectIPs(out *strings.Builder, r role) {
	prefix, ok := variablePrefix(r.name)
	if !ok {
		fmt.Fprintf(out, "# no variables for role %+q: no variable can have its name\n", r.name)
		return
	}
	var ips []string
	for _, t := range r.tasks {
		ips = append(ips, t.ip)
	}
	name, value := prefix+"_IPS", strings.Join(ips, ",")
	assign(out, name, quoteWord(value), len(value))
	announce(out, name)
}

// injectAddresses keeps the port in a variable of its own, so that the role's variable is not changed.
func injectAddresses(out *strings.Builder, r role) {
	prefix, ok := variablePrefix(r.name)
	if !ok {
		return
	}
	var addresses []string
	length := 0
	for _, t := range r.tasks {
		host := addressHost(t.ip)
		length += len(host) + len(":,") + longestPort
		addresses = append(addresses, escapeInQuotes(host)+":${fb_port}")
	}
	choosePort(out, prefix+"_PORT")
	assign(out, prefix+"_ADDRESSES", `"`+strings.Join(addresses, ",")+`"`, length)
	announce(out, prefix+"_ADDRESSES")
}

// choosePort uses the role's own port, or else the common one. A value with "://" is ignored: the kubelet sets
// FB_WORKER_PORT=tcp://10.0.0.1:80 in each container if there is a Service named fb-worker. Other values are used
// unchanged, as scripts may rely on more than numbers.
func choosePort(out *strings.Builder, own string) {
	fmt.Fprintf(out, "fb_port=${%s-}\n", own)
	out.WriteString("case $fb_port in '' | *://*) fb_port=${FB_PORT-} ;; esac\n")
	out.WriteString("case $fb_port in *://*) fb_port= ;; esac\n")
}

// assign exports a variable unless it is too long.
func assign(out *strings.Builder, name, word string, length int) {
	if len(name)+length+len("=\x00") > longestValue {
		out.WriteString("# Not exported: no program could be started with it. See peers.json and hostfile.\n")
		fmt.Fprintf(out, "%s=%s\n", name, word)
		return
	}
	fmt.Fprintf(out, "export %s=%s\n", name, word)
}

func announce(out *strings.Builder, name string) {
	fmt.Fprintf(out, "echo \"%[1]s=${%[1]s}\"\n", name)
}

var wordInVariable = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// variablePrefix is the prefix of the names of a role's variables. Every role name that the CRD admits has one.
func variablePrefix(role string) (string, bool) {
	return "FB_" + strings.ToUpper(role), wordInVariable.MatchString(role)
}

// addressHost puts IPv6 addresses in brackets, so that a port can follow.
func addressHost(ip string) string {
	if address, err := netip.ParseAddr(ip); err == nil && address.Is6() {
		return "[" + ip + "]"
	}
	return ip
}

// quoteWord returns a shell word for exactly this text. Addresses stay unchanged.
func quoteWord(text string) string {
	if !strings.ContainsFunc(text, special) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// special reports whether a character may have a special meaning to a shell.
func special(c rune) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.ContainsRune(".,:_-", c):
		return false
	}
	return true
}

var quotable = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`")

// escapeInQuotes escapes the text for use within double quotes.
func escapeInQuotes(text string) string { return quotable.Replace(text) }
