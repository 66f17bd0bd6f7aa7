{{- define "frameworkcontroller.labels" -}}
app.kubernetes.io/name: frameworkcontroller
app.kubernetes.io/part-of: frameworkcontroller
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "frameworkcontroller.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- /* Not empty if the values say something of the configuration. Otherwise the controller takes the file in its image. */}}
{{- define "frameworkcontroller.configured" -}}
{{- if or .Values.config .Values.plugins }}yes{{ end }}
{{- end }}

{{- /* The file that is in the image, with what the values say. Not mergeOverwrite, which leaves out false and []. */}}
{{- define "frameworkcontroller.config" -}}
{{- $config := .Files.Get "frameworkcontroller.yaml" | fromYaml }}
{{- range $key, $value := .Values.config }}
{{- $_ := set $config $key $value }}
{{- end }}
{{- toYaml (set $config "plugins" (concat .Values.plugins $config.plugins)) }}
{{- end }}
