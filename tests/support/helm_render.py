"""Renders and checks a Helm chart with Helm's own engine: values from standard input, JSON to output."""

import json
import sys

from helm_python import Chart, HelmError, lint

chart_path = sys.argv[1]
answers = []
for values in json.load(sys.stdin):
    try:
        chart = Chart.load(chart_path)
        chart.validate_schema(chart.merge_values(values))
        report = lint(chart_path, values, strict=True)
        answers.append({
            "files": chart.render(values, name="sluice", namespace="llm"),
            "messages": [m["error"] for m in report["messages"] if m["severity"] > 1],
        })
    except HelmError as error:
        answers.append({"error": str(error)})
json.dump(answers, sys.stdout)
