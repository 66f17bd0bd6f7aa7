{{- define "frameworkcontroller.history.name" -}}
frameworkcontroller-history
{{- end }}

{{- /* The controller has other labels: its Service, its NetworkPolicy and its PodDisruptionBudget select by them. */}}
{{- define "frameworkcontroller.history.labels" -}}
app.kubernetes.io/name: frameworkcontroller-history
app.kubernetes.io/component: history
app.kubernetes.io/part-of: frameworkcontroller
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "frameworkcontroller.history.image" -}}
{{- with .Values.history.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- /* The Secret with the certificate of the server. */}}
{{- define "frameworkcontroller.history.tls" -}}
{{- .Values.history.tls.secretName | default "frameworkcontroller-history-tls" }}
{{- end }}

{{- /* The plugin of the controller. Its spool is smaller than the volume, which is not to be full. */}}
{{- define "frameworkcontroller.history.plugin" -}}
name: history
kind: HistorySink
command: history-remote
memoryLimit: 256Mi
failurePolicy: {{ .Values.history.failurePolicy }}
parameters:
  url: https://{{ include "frameworkcontroller.history.name" . }}.{{ .Release.Namespace }}.svc
  cluster: {{ .Values.history.cluster | quote }}
  caFile: /etc/frameworkcontroller-history/ca.crt
  tokenFile: /var/run/secrets/frameworkcontroller/history/token
  spoolDirectory: /var/spool/frameworkcontroller
  spoolBytes: 256Mi
  {{- if .Values.history.logs.enabled }}
  logs: true
  {{- end }}
{{- end }}

{{- /* The part of logs that the server keeps. */}}
{{- define "frameworkcontroller.history.logs" -}}
{{- omit .Values.history.logs "enabled" "retainBytes" | toYaml }}
{{- end }}

{{- define "frameworkcontroller.history.mounts" -}}
- {name: history-ca, mountPath: /etc/frameworkcontroller-history, readOnly: true}
- {name: history-token, mountPath: /var/run/secrets/frameworkcontroller/history, readOnly: true}
- {name: history-spool, mountPath: /var/spool/frameworkcontroller}
{{- end }}

{{- /* The token is good for the server alone. Without the certificate, which may come later, records go to the spool. */}}
{{- define "frameworkcontroller.history.volumes" -}}
- name: history-ca
  configMap: {name: {{ include "frameworkcontroller.history.name" . }}, optional: true}
- name: history-token
  projected:
    sources:
    - serviceAccountToken: {path: token, audience: frameworkcontroller-history, expirationSeconds: 3600}
- name: history-spool
  emptyDir: {sizeLimit: 512Mi}
{{- end }}

{{- define "frameworkcontroller.history.pod" -}}
metadata:
  {{- if .Values.history.logs.enabled }}
  # A change restarts the server, which reads its configuration once.
  annotations: {frameworkcontroller/logs-config: {{ include "frameworkcontroller.history.logs" . | sha256sum | quote }}}
  {{- end }}
  labels:
    app.kubernetes.io/name: {{ include "frameworkcontroller.history.name" . }}
    app.kubernetes.io/component: history
    app.kubernetes.io/part-of: frameworkcontroller
spec:
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 2 }}
  {{- end }}
  serviceAccountName: {{ include "frameworkcontroller.history.name" . }}
  automountServiceAccountToken: true
  priorityClassName: {{ .Values.priorityClassName | default "frameworkcontroller" }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 2 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    seccompProfile: {type: RuntimeDefault}
    {{- if and .Values.history.storage.fsGroup (not .Values.history.postgres.secretName) }}
    fsGroup: {{ .Values.history.storage.fsGroup }}
    fsGroupChangePolicy: OnRootMismatch
    {{- end }}
  containers:
  - name: history
    image: {{ include "frameworkcontroller.history.image" . }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    args:
    - --address=:8443
    - --metrics-address=:8080
    - --tls-cert=/etc/frameworkcontroller-history/tls.crt
    - --tls-key=/etc/frameworkcontroller-history/tls.key
    {{- if .Values.history.postgres.secretName }}
    - --database-file=/etc/frameworkcontroller-history-database/{{ .Values.history.postgres.key }}
    - --retain-bytes={{ .Values.history.postgres.retainBytes }}
    {{- else }}
    - --database=/data/history.db
    - --retain-bytes={{ .Values.history.retainBytes }}
    {{- end }}
    - --retain={{ .Values.history.retain }}
    - --writer=system:serviceaccount:{{ .Release.Namespace }}:frameworkcontroller
    - --writer-audience=frameworkcontroller-history
    {{- if .Values.history.logs.enabled }}
    - --logs-config=/etc/frameworkcontroller-history-logs/logs.yaml
    - --retain-log-bytes={{ .Values.history.logs.retainBytes }}
    {{- end }}
    {{- with .Values.history.extraArgs }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    ports:
    - {name: https, containerPort: 8443}
    - {name: http, containerPort: 8080}
    # The first start of a newer version may change the tables, which takes its time.
    startupProbe:
      httpGet: {path: /healthz, port: https, scheme: HTTPS}
      periodSeconds: 2
      failureThreshold: 150
    livenessProbe:
      httpGet: {path: /healthz, port: https, scheme: HTTPS}
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: {path: /readyz, port: https, scheme: HTTPS}
      periodSeconds: 5
      timeoutSeconds: 5
    resources: {{- toYaml .Values.history.resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: {drop: [ALL]}
    volumeMounts:
    - {name: tls, mountPath: /etc/frameworkcontroller-history, readOnly: true}
    - {name: tmp, mountPath: /tmp}
    {{- if .Values.history.logs.enabled }}
    - {name: logs, mountPath: /etc/frameworkcontroller-history-logs, readOnly: true}
    {{- end }}
    {{- if .Values.history.postgres.secretName }}
    - {name: database, mountPath: /etc/frameworkcontroller-history-database, readOnly: true}
    {{- else }}
    - {name: data, mountPath: /data}
    {{- end }}
  volumes:
  - name: tls
    secret: {secretName: {{ include "frameworkcontroller.history.tls" . }}}
  {{- with .Values.history.postgres }}
  {{- if .secretName }}
  # A file, because a process list shows arguments.
  - name: database
    secret:
      secretName: {{ .secretName }}
      items: [{key: {{ .key }}, path: {{ .key }}}]
  {{- end }}
  {{- end }}
  {{- if .Values.history.logs.enabled }}
  - name: logs
    configMap: {name: {{ include "frameworkcontroller.history.name" . }}-logs}
  {{- end }}
  # For temporary files of SQLite.
  - name: tmp
    emptyDir: {sizeLimit: 1Gi}
{{- end }}
