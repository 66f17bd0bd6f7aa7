{{- /* For each heading of each page: the page's address and title, the anchor, the heading, the text below it. */ -}}
{{- $rows := slice -}}
{{- range site.Pages -}}
  {{- if not .Params.forward -}}
    {{- $page := . -}}
    {{- $html := .Content -}}
    {{- if .IsHome -}}
      {{- $html = printf "%s %s %s" (printf "%s\n\n%s" .Params.lead .Params.intro | .RenderString (dict "display" "block")) (.Params.points | .RenderString) $html -}}
    {{- end -}}
    {{- $html = replaceRE `(?s)<a class="anchor".*?</a>` "" $html -}}
    {{- $html = replaceRE `<h[1-6] id="` "\x00" $html -}}
    {{- range $i, $part := split $html "\x00" -}}
      {{- $anchor := "" -}}{{- $heading := "" -}}{{- $text := $part -}}
      {{- if gt $i 0 -}}
        {{- $halves := split $part "\">" -}}
        {{- $anchor = index $halves 0 -}}
        {{- $heading = index (split (delimit (after 1 $halves) "\">") "</h") 0 | plainify | htmlUnescape -}}
        {{- $text = replaceRE `(?s)^.*?</h[1-6]>` "" $part -}}
      {{- end -}}
      {{- $text = replaceRE `<(/td|/th|/li|/p|br)>` " " $text | plainify | htmlUnescape | replaceRE `\s+` " " | strings.TrimSpace -}}
      {{- if or (ne $text "") (ne $heading "") -}}
        {{- if eq $heading $page.Title -}}{{- $anchor = "" -}}{{- $heading = "" -}}{{- end -}}
        {{- $rows = $rows | append (dict "page" $page.Params.address "title" $page.Title "anchor" $anchor "heading" (strings.TrimSpace $heading) "text" $text) -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
window.searchIndex = {{ $rows | jsonify (dict "noHTMLEscape" true) }};
