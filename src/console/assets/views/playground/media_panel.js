/** Images, speech, transcriptions and rankings: a model, its fields, and the answer. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import { CopyButton, ErrorBox, FactList, Loading } from "../../lib/components.js";
import { bytes, duration, usd } from "../../lib/format.js";
import { startMedia, stopMedia } from "./media_run.js";
import { MEDIA, readMedia, toImages, toRanking } from "./media.js";
import { ModelChip } from "./model_columns.js";
import { Parameter } from "./settings_panel.js";
import { setMedia } from "./store.js";

/** @param {{ kind: string, entry: object, models: object[] }} props */
export function MediaPanel({ kind, entry, models }) {
  const { fields, takesFile, verb } = MEDIA.get(kind);
  const { model, texts, run } = entry;
  const [isChecked, setChecked] = useState(false);
  const { errors } = readMedia(kind, entry);
  const isOpen = run?.state === "waiting";
  const first = models[0]?.id;
  useEffect(() => {
    if (model === "" && first !== undefined) setMedia(kind, { model: first });
  }, [model, first]);
  const submit = (event) => {
    event.preventDefault();
    setChecked(true);
    if (errors.size === 0) void startMedia(kind);
  };
  const isWrong = (name) => isChecked || (texts[name] ?? "") !== "";
  return html`
    <section class="media" aria-label=${MEDIA.get(kind).title}>
      <div class="model-row model-column">
        <${ModelChip} label="Model" id=${model} models=${models} onChange=${(chosen) =>
          setMedia(kind, { model: chosen })} />
      </div>
      <form class="media-form" onSubmit=${submit}>
        ${takesFile && html`
          <${FileField} kind=${kind} entry=${entry}
            error=${isChecked ? errors.get("file") : undefined} />
        `}
        ${fields.map((field) =>
          html`
            <${Parameter}
              key=${field.name}
              parameter=${field}
              text=${texts[field.name] ?? ""}
              error=${isWrong(field.name) ? errors.get(field.name) : undefined}
              onChange=${(text) => setMedia(kind, { texts: { ...texts, [field.name]: text } })}
            />
          `
        )}
        <div class="row end">
          ${isOpen
            ? html`<button type="button" class="danger" onClick=${() =>
              stopMedia(kind)}>Stop</button>`
            : html`<button class="primary">${verb}</button>`}
        </div>
      </form>
      <div class="media-answer" aria-live="polite">
        ${isOpen && html`<${Loading} text="Waiting for the answer" />`}
        ${run?.state === "stopped" && html`<p class="hint">Stopped.</p>`}
        ${run?.error && html`<${ErrorBox} error=${run.error} title="The request failed" />`}
        ${run?.isLost && html`
          <p class="hint">The answer was too large to be kept across the reload.</p>
        `}
        ${run?.state === "done" && !run.isLost && html`<${Answer} kind=${kind} run=${run} />`}
        ${run && !isOpen && html`<${Figures} run=${run} />`}
      </div>
    </section>
  `;
}

function FileField({ kind, entry: { file }, error }) {
  return html`
    <div class="field">
      <label for="media-file">file</label>
      <input id="media-file" type="file" accept="audio/*,video/mp4,video/webm" onChange=${(event) =>
        setMedia(kind, { file: event.target.files[0] ?? null })} />
      <p class=${error === undefined ? "hint" : "fault"}>
        ${error ??
          (file === null ? "Audio, such as MP3 or WAV" : `${file.name}, ${bytes(file.size)}`)}
      </p>
    </div>
  `;
}

function Answer({ kind, run: { answer, body } }) {
  switch (kind) {
    case "images":
      return html`<${Images} images=${toImages(answer)} prompt=${body.prompt} />`;
    case "speech":
      return html`<${Speech} audio=${answer} />`;
    case "transcription":
      return html`
        <p class="plain-text">${answer.text}</p>
        <p>
          <${CopyButton} text=${answer.text ?? ""} />
        </p>
      `;
    default:
      return html`<${Ranking} rows=${toRanking(answer, body.documents)} />`;
  }
}

function Images({ images, prompt }) {
  return html`
    <ul class="media-images">
      ${images.map(({ url, isData, prompt: revised }, index) =>
        html`
          <li key=${index}>
            ${isData
              ? html`
                <img src=${url} alt=${prompt} />
                <p><a href=${url} download=${`image-${index + 1}`}>Download</a></p>
              `
              : html`<p class="mono wrap-anywhere">${url}</p>`}
            ${revised && html`<p class="hint">${revised}</p>`}
          </li>
        `
      )}
    </ul>
  `;
}

/**
 * Plays audio. The page's policy forbids media elements, so the audio is decoded here.
 *
 * @param {{ audio: Blob }} props
 */
function Speech({ audio }) {
  const player = useRef(null);
  const [state, setState] = useState({ seconds: null, fault: "", isPlaying: false });
  const [address, setAddress] = useState("");
  useEffect(() => {
    const context = new AudioContext();
    let isGone = false;
    const url = URL.createObjectURL(audio);
    setAddress(url);
    audio.arrayBuffer().then((data) => context.decodeAudioData(data)).then(
      (sound) => {
        if (isGone) return;
        player.current = { context, sound, source: null };
        setState({ seconds: sound.duration, fault: "", isPlaying: false });
      },
      () => isGone || setState({ seconds: null, fault: "This browser cannot play it" }),
    );
    return () => {
      isGone = true;
      URL.revokeObjectURL(url);
      void context.close();
    };
  }, [audio]);
  const toggle = () => {
    const { context, sound, source } = player.current;
    if (state.isPlaying) return source.stop();
    const started = new AudioBufferSourceNode(context, { buffer: sound });
    started.connect(context.destination);
    started.onended = () => setState((before) => ({ ...before, isPlaying: false }));
    player.current.source = started;
    void context.resume();
    started.start();
    return setState({ ...state, isPlaying: true });
  };
  const { fault, isPlaying, seconds } = state;
  return html`
    <div class="row">
      <button type="button" disabled=${seconds === null} onClick=${toggle}>
        ${isPlaying ? "Stop playing" : "Play"}
      </button>
      <a class="button" href=${address} download="speech">Download</a>
      <span class="hint">${[
        seconds !== null && duration(1000 * seconds),
        audio.type,
        bytes(audio.size),
      ]
        .filter(Boolean).join(", ")}</span>
    </div>
    ${fault !== "" && html`<p class="hint">${fault}</p>`}
  `;
}

function Ranking({ rows }) {
  return html`
    <table class="media-ranking">
      <thead>
        <tr>
          <th scope="col">Score</th>
          <th scope="col">Document</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(({ index, score, text }) =>
          html`
            <tr key=${index}>
              <td class="number">${score.toFixed(3)}</td>
              <td class="wrap-anywhere">${text}</td>
            </tr>
          `
        )}
      </tbody>
    </table>
  `;
}

function Figures({ run: { headers, ms, requestId } }) {
  const target = headers?.provider && `${headers.provider} / ${headers.model ?? ""}`;
  const facts = [
    target && ["Answered by", target],
    ms !== null && ["Total", duration(ms)],
    headers?.cost != null && ["Cost", usd(headers.cost)],
    headers?.ignored.length > 0 && ["Ignored", headers.ignored.join(", ")],
  ].filter(Boolean);
  return html`
    <div class="answer-foot">
      <${FactList} class="figures" facts=${facts} />
      <a href=${`#/requests/${encodeURIComponent(requestId)}`}>Request</a>
    </div>
  `;
}
