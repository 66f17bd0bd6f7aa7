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

{{- /* Not empty if the values change the configuration. Otherwise the controller uses the file in its image. */}}
{{- define "frameworkcontroller.configured" -}}
{{- if or .Values.config .Values.plugins .Values.history.enabled }}yes{{ end }}
{{- end }}

{{- /* The file in the image, changed by the values. Not mergeOverwrite, which drops false and []. */}}
{{- define "frameworkcontroller.config" -}}
{{- $config := .Files.Get "frameworkcontroller.yaml" | fromYaml }}
{{- range $key, $value := .Values.config }}
{{- $_ := set $config $key $value }}
{{- end }}
{{- $plugins := concat .Values.plugins $config.plugins }}
{{- if .Values.history.enabled }}
{{- $plugins = append $plugins (include "frameworkcontroller.history.plugin" . | fromYaml) }}
{{- end }}
{{- toYaml (set $config "plugins" $plugins) }}
{{- end }}
