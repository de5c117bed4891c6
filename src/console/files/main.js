import{a as se,b as re,c as ae,d as ie,e as y,g as ce}from"./shared3.js";import{F as S,H as x,K as Y,U as Q,V as ee,a as Me,aa as te,b as X,c as m,d as f,da as ne,f as I,g as v,ga as oe,i as a,m as b,n as k,o as E,p as L,q as D,r as Z,s as j,u as J,v as N,va as R,wa as K,y as A}from"./shared1.js";var _={};Me(_,{Palette:()=>Te});function le(e,n){let t=n.toLowerCase().split(/\s+/).filter(o=>o!=="");if(t.length===0)return e.slice(0,50);let s=[[],[],[]];for(let o of e){let r=o.text.toLowerCase();if(!t.every(l=>r.includes(l)))continue;let[i]=t,c=r.startsWith(i)?0:Ce(r,i)?1:2;s[c].push(o)}return s.flat().slice(0,50)}function Ce(e,n){let t=e.indexOf(n);return t>0&&/[^a-z0-9]/.test(e[t-1])}function ue({models:e,keys:n,providers:t},s){let o=(r,i,c)=>{let l=new URLSearchParams({[i]:c});return[{text:`${c}: requests`,kind:r,address:`#/requests?${l}`},{text:`${c}: usage`,kind:r,address:`#/usage?${l}`}]};return[...e.flatMap(r=>[...s?[{text:`${r}: try`,kind:"Model",address:`#/playground?${new URLSearchParams({model:r})}`}]:[],...o("Model","model",r)]),...n.flatMap(r=>o("Key","key",r)),...t.flatMap(r=>o("Provider","provider",r))]}var Ee=30*864e5,Ae=2e3;function Te({commands:e,onClose:n}){let[t,s]=m(""),[o,r]=m(0),i=Le(),c=v(()=>[...e,...ue(i,b()!=="")],[e,i]),l=v(()=>[...le(c,t),...Oe(t)],[c,t]),u=Math.min(o,l.length-1);f(()=>{document.getElementById(`palette-${u}`)?.scrollIntoView({block:"nearest"})},[u]);let p=d=>{n(),d?.address!==void 0?location.hash=d.address:d?.run!==void 0&&setTimeout(d.run)},h=d=>{let $=d.key==="ArrowDown"?1:d.key==="ArrowUp"?-1:0;if($!==0&&l.length>0)r((u+$+l.length)%l.length);else if(d.key==="Enter")p(l[u]);else return;d.preventDefault()};return a`
    <${x} title="Go to" onClose=${n} class="palette">
      <input
        type="text"
        role="combobox"
        aria-label="Search views, actions, models, keys and request IDs"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant=${l.length>0?`palette-${u}`:void 0}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck=${!1}
        autofocus
        placeholder="View, action, model, key or request ID"
        value=${t}
        onInput=${d=>{s(d.target.value),r(0)}}
        onKeyDown=${h}
      />
      <ul id="palette-list" role="listbox" aria-label="Results">
        ${l.map((d,$)=>a`
            <li
              key=${`${d.kind} ${d.text}`}
              id=${`palette-${$}`}
              role="option"
              aria-selected=${String($===u)}
              onPointerMove=${()=>r($)}
              onClick=${()=>p(d)}
            >
              <span class="wrap-anywhere">${d.text}</span>
              <span class="row nowrap small">
                ${d.keys?.map(g=>a`<kbd key=${g}>${g}</kbd>`)}
                <span class="faint">${d.kind}</span>
              </span>
            </li>
          `)}
      </ul>
      <p class="hint" role="status">${l.length===0?"Nothing found":""}</p>
      <//>
  `}function Oe(e){let n=e.trim();if(!/^\S{4,}$/.test(n))return[];let t=new URLSearchParams({id:n,range:"90d"});return[{text:`Requests whose ID begins with ${n}`,kind:"Requests",address:`#/requests?${t}`}]}var Ie={models:[],keys:[],providers:[]};function Le(){let[e,n]=m(Ie);return f(()=>{let t=new AbortController,{signal:s}=t,o=k()!=="",r=new Date(Date.now()-Ee).toISOString(),i=async u=>{let p=new URLSearchParams({from:r,group_by:u,limit:String(Ae)}),h=`/v1/${o?"admin/":""}usage?${p}`,{data:d}=await N(h,{signal:s});return d.flatMap($=>$[u]??[])},c=async()=>b()===""?[]:(await N("/v1/models",{signal:s})).data.map(({id:u})=>u);return(async()=>{let[u,p,h,d]=await Promise.all([c(),i("model"),o?i("key"):[],i("provider")].map($=>Promise.resolve($).catch(()=>[])));s.aborted||n({models:[...new Set([...u,...p])].sort(),keys:h,providers:d})})(),()=>t.abort()},[]),e}function de({alerts:e=[],config:n,models:t=[],providers:s}){let o=[];n?.valid===!1&&o.push({text:"The configuration file is not valid: the gateway uses the one before.",view:"config",since:null});for(let{breaker:r,health:i,id:c,provider:l}of t){let u=`${c} at ${l}`;if(i&&Ne.has(i.state)){let p=`${Q.get(i.state).text}: ${u}`;o.push({text:p,view:"status",since:i.since})}else r==="open"&&!ee(i?.state)&&o.push({text:`Open circuit breaker: ${u}`,view:"status",since:null})}for(let{enabled:r,id:i,keys:c,resting_keys:l}of s)!r||c===0||l<c||o.push({text:`All keys are suspended: ${i}`,view:"status",since:null});for(let{rule:r,since:i,text:c}of e){let l=De.get(r);l!==void 0&&o.push({text:c,view:l,since:i})}return o}var De=new Map([["budget","keys"],["no_traffic","requests"],["store_down","overview"]]),Ne=new Set(["failing","degraded","silent"]);var Re=2e4,P=5e3,q={state:void 0,alerts:[],awaySince:void 0,nextLook:void 0};function pe(e,n){let[t,s]=m(q);return f(()=>{if(s(q),e===void 0)return;let o=new AbortController;return Ke(e,o.signal,s),()=>o.abort()},[e,n]),t}async function Ke(e,n,t){for(;!n.aborted;){let s=Re;try{let o=await Pe(e,n);if(n.aborted)return;o!==void 0&&t({...q,state:o,alerts:de(o)})}catch(o){if(n.aborted)return;if(o?.isPassing){s=P;let r=Date.now();t(i=>({...i,awaySince:i.awaySince??r,nextLook:r+P}))}}await _e(s,n)}}function _e(e,n){return new Promise(t=>{let s=()=>{clearTimeout(r),document.removeEventListener("visibilitychange",o),removeEventListener("gateway-away",s),n.removeEventListener("abort",s),t()},o=()=>document.visibilityState==="visible"&&s(),r=setTimeout(()=>{document.visibilityState==="visible"?s():document.addEventListener("visibilitychange",o)},e);e>P&&addEventListener("gateway-away",s),n.addEventListener("abort",s)})}async function Pe(e,n){let t=await J(e,{signal:n}),s;try{await te(t,({name:o,data:r})=>{if(o==="state")throw s=JSON.parse(r),fe})}catch(o){if(o!==fe)throw o}return s}var fe=Symbol("found");function V(e,{hasAdmin:n,hasService:t},s){return e.filter(({id:o,needs:r})=>o===s||r===void 0||(r==="admin"?n:t))}var qe=["overview","requests","status","usage","playground","models"],Ve=4;function me({current:e,session:n,alerts:t,isShown:s,onKeys:o}){let r=V(y,n,e),i=[...new Set(y.map(({group:c})=>c))];return a`
    <nav class=${`rail${s?" shown":""}`} aria-label="Views">
      <a class="brand" href=${`#/${r[0].id}`} title="Sluice"><${B} /><b>Sluice</b></a>
      ${i.map(c=>{let l=r.filter(u=>u.group===c);return l.length>0&&a`
          <div class="rail-group" key=${c}>
            <p class="rail-title">${c}</p>
            ${l.map(u=>a`
                <${Be}
                  key=${u.id}
                  view=${u}
                  isCurrent=${u.id===e}
                  number=${r.indexOf(u)+1}
                  alerts=${t.filter(p=>p.view===u.id).length}
                />
              `)}
          </div>
        `})}
      <div class="rail-foot">
        <p><b>${n.hasAdmin?"Admin":"Service key"}</b>
          ${n.hasAdmin&&n.hasService?" and a service key":""}</p>
        <button type="button" onClick=${o}>Keys of this tab</button>
      </div>
    </nav>
  `}function Be({view:{id:e,title:n},isCurrent:t,number:s,alerts:o}){return a`
    <a
      href=${`#/${e}`}
      title=${n}
      aria-current=${t?"page":void 0}
      aria-keyshortcuts=${s<10?`Alt+Shift+${s}`:void 0}
    >
      <${A} name=${e} /><span class="rail-name">${n}</span>
      ${o>0&&a`
        <span class="rail-count st failing" title=${`${o} open alerts`}>${o}</span>
      `}
    </a>
  `}function $e({current:e,session:n,isMore:t,onMore:s}){let o=V(y,n,e),r=qe.flatMap(i=>o.find(c=>c.id===i)??[]).slice(0,Ve);return a`
    <nav class="bottom-bar" aria-label="Main views">
      ${r.map(({id:i,title:c})=>a`
          <a key=${i} href=${`#/${i}`} aria-current=${i===e?"true":void 0}>
            <${A} name=${i} size=${20} />${c}
          </a>
        `)}
      <button type="button" aria-expanded=${String(t)} onClick=${s}>
        <${A} name="more" size=${20} />More
      </button>
    </nav>
  `}function B(){return a`
    <svg width="18" height="18" viewBox="0 0 20 20" fill="none" stroke="currentColor"
      stroke-width="1.8" stroke-linecap="round" aria-hidden="true">
      <path d="M5 2.5v15M15 2.5v15M5 6h10M1.5 13c2.8-2 5.7 2 8.5 0s5.7-2 8.5 0" />
    </svg>
  `}function he({altKey:e,shiftKey:n,ctrlKey:t,metaKey:s,code:o}){let r=/^(?:Key|Digit)([A-Z0-9])$/.exec(o)?.[1];return e&&n&&!t&&!s&&r?`Alt+Shift+${r}`:void 0}function we(){return[...([...document.querySelectorAll("dialog[open]")].at(-1)??document).querySelectorAll("[aria-keyshortcuts]")].filter(n=>!n.disabled&&n.getClientRects().length>0)}function W(e){let n=we().find(t=>t.getAttribute("aria-keyshortcuts")===e);return n===void 0?!1:(n.matches("input, select, textarea")&&n.type!=="checkbox"?(n.focus(),n.select?.()):n.click(),!0)}function U(){return we().map(e=>{let n=e.getAttribute("aria-keyshortcuts");return{isView:e.closest("nav")!==null,keys:n.split("+"),label:We(e),run:()=>W(n)}})}function We(e){return(e.getAttribute("aria-label")??e.labels?.[0]?.innerText??e.innerText).trim().replaceAll(/\s+/g," ")}function ye(e){return oe(ne(),{hour:"2-digit",minute:"2-digit"}).format(new Date(e))}function ge({connection:{awaySince:e,nextLook:n,state:t}}){let s=Ue(n);return e!==void 0?a`
      <span class="conn">
        <span class="st failing" role="status">
          Not reachable since ${ye(e)}
        </span>
        <span class="long">next try in ${s} s</span>
      </span>
    `:t===void 0?a`<span class="conn" role="status">Connecting</span>`:a`
    <span class="conn">
      <${R} state="ok" isShort=${!0} />
      <b role="status">Connected</b>
      <span class="long">
        ${t.workers===void 0||t.workers===1?"":`${t.workers} workers`}
      </span>
    </span>
  `}function Ue(e){let[,n]=m(0);return f(()=>{if(e===void 0)return;let t=setInterval(()=>n(s=>s+1),1e3);return()=>clearInterval(t)},[e]),e===void 0?0:Math.max(0,Math.ceil((e-Date.now())/1e3))}function ve({alerts:e}){if(e.length===0)return null;let n=a`
    <${R} state="failing" isShort=${!0} />
    <span>${e.length}</span>
    <span class="long">${e.length===1?"open alert":"open alerts"}</span>
  `;return a`
    <${se} class="alerts" label=${n}>
      ${e.map(({since:t,text:s,view:o})=>a`
          <a key=${s} href=${`#/${o}`}>
            <span class="clip" title=${s}>${s}</span>
            ${t&&a`<span class="faint">${ye(t)}</span>`}
          </a>
        `)}
    <//>
  `}var ke="sluice.theme",M=["auto","light","dark"];function T(){try{let e=localStorage.getItem(ke);return M.includes(e)?e:"auto"}catch{return"auto"}}function be(e){try{localStorage.setItem(ke,e)}catch{}z(e)}function z(e){e==="auto"?delete document.documentElement.dataset.theme:document.documentElement.dataset.theme=e}function Se(){let e=ce(),n=re(),[t,s]=m(E),[o,r]=m(null),[i,c]=m({isOpen:!1,count:0}),l=k()===""?"/v1/live":"/v1/admin/live",u=pe(t?l:void 0,i.count),{alerts:p,awaySince:h}=u,d=h!==void 0,$={hasAdmin:k()!=="",hasService:b()!==""},[g,H]=m(!1);f(()=>H(!1),[e.view]);let O=I(null);f(()=>j(()=>{s(E()),c(({isOpen:w,count:G})=>({isOpen:L(),count:w&&!L()?G+1:G}))}),[]),f(()=>Qe(r),[]),f(Z,[]),f(()=>{t&&location.hash===""&&location.replace(`#/${ze()}`)},[t]);let{title:C}=y.find(({id:w})=>w===e.view),F=I(!0);return f(()=>{let w=p.length>0?`(${p.length}) `:"";document.title=t?`${w}${C} \u2013 Sluice`:"Sign in \u2013 Sluice"},[C,t,p.length]),f(()=>{F.current||O.current?.focus(),F.current=!1},[C,t]),a`
    <a class="skip-link" href="#main" onClick=${w=>{w.preventDefault(),O.current?.focus()}}>Skip to the content</a>
    ${t&&a`
      <${me}
        current=${e.view}
        session=${$}
        alerts=${p}
        isShown=${g}
        onKeys=${()=>r("keys")}
      />
    `}
    <header class=${`top-bar${d?" away":""}`}>
      ${t?a`
          <${ge} connection=${u} />
          <${ve} alerts=${p} />
        `:a`<span class="brand"><${B} /><b>Sluice</b></span>`}
      <div class="top-tools">
        ${t&&a`
          <${ae} route=${e} zone=${n} />
          <${ie} zone=${n} />
          <${S} icon="search" label="Go to (Ctrl K)" onClick=${()=>r("palette")} />
        `}
        <${je} />
        <${S}
          icon="keyboard"
          class="wide-only"
          label="Keyboard shortcuts"
          onClick=${()=>r("shortcuts")}
        />
        ${t&&a`<${S} icon="out" label="Sign out" onClick=${D} />`}
      </div>
    </header>
    ${t&&i.isOpen&&a`
      <div class="alert-bar" role="alert">
        <span>The gateway no longer accepts your key.</span>
        <button type="button" class="link" onClick=${()=>r("keys")}>
          Sign in again
        </button>
      </div>
    `}
    <main id="main" ref=${O} data-away=${d||void 0} tabindex="-1" aria-label=${t?C:"Sign in"}>
      ${t?a`<${Ge} key=${`${e.view} ${i.count}`} route=${e} />`:a`<${K} />`}
    </main>
    ${t&&a`
      <${$e}
        current=${e.view}
        session=${$}
        isMore=${g}
        onMore=${()=>H(!g)}
      />
    `}
    ${o==="shortcuts"&&a`<${Ye} onClose=${()=>r(null)} />`}
    ${o==="keys"&&t&&a`
      <${x} title="Your keys" onClose=${()=>r(null)}>
        <${K} onDone=${()=>r(null)} />
        <//>
    `}
    ${o==="palette"&&t&&a`
      <${He} onClose=${()=>r(null)} />
    `}
  `}function ze(){return k()===""?"playground":"overview"}function He({onClose:e}){let[n,t]=m(void 0),s=v(()=>[...U().map(({isView:o,keys:r,label:i,run:c})=>({text:i,kind:o?"View":"Action",keys:r,run:c})),{text:"Sign out",kind:"Action",run:D}],[]);return f(()=>{Promise.resolve(_).then(o=>t(()=>o.Palette),e)},[]),n&&a`<${n} commands=${s} onClose=${e} />`}var Fe=5e3;function Ge({route:e}){let[n,t]=m({});f(()=>{let r=!0,i,c=()=>y.find(({id:l})=>l===e.view).load().then(l=>r&&t({Component:l.default}),()=>{r&&(t({isMissing:!0}),i=setTimeout(c,Fe))});return c(),()=>{r=!1,clearTimeout(i)}},[e.view]);let{Component:s,isMissing:o}=n;return s?a`
      <div data-view=${e.view}>
        <${s} route=${e} />
      </div>
    `:a`
    <div class="view">${o?a`<${Xe} />`:a`<${Y} />`}</div>
  `}function Xe(){return a`
    <div class="card empty stack">
      <p role="alert">
        This view cannot be loaded. The gateway may have been upgraded, or cannot be reached.
      </p>
      <p>
        <button type="button" class="primary" onClick=${()=>location.reload()}>
          Reload the page
        </button>
      </p>
    </div>
  `}var Ze={auto:"Theme: as the system",light:"Theme: light",dark:"Theme: dark"};function je(){let[e,n]=m(T),t=()=>{let s=M[(M.indexOf(e)+1)%M.length];be(s),n(s)};return a`<${S} icon=${e} label=${Ze[e]} onClick=${t} />`}var Je=[[["Ctrl","Enter"],"Send the message"],[["Ctrl","Shift","Enter"],"Preview the request without sending it"],[["Esc"],"Stop all answers, or close a dialog"],[["Ctrl","K"],"Go to a view, action, model, key or request"],[["Ctrl","/"],"Show these shortcuts"],[["j"],"Next row of a table"],[["k"],"Row before"],[["Enter"],"Open the row"]];function Ye({onClose:e}){let n=v(()=>[...Je,...U().map(({keys:t,label:s})=>[t,s])],[]);return a`
    <${x} title="Keyboard shortcuts" onClose=${e}>
      <div class="stack">
        <dl class="shortcuts">
        ${n.map(([t,s])=>a`
            <dt key=${s} class="row">${t.map(o=>a`<kbd key=${o}>${o}</kbd>`)}</dt>
            <dd>${s}</dd>
          `)}
      </dl>
        <p class="hint">On a Mac, use Cmd in place of Ctrl.</p>
      </div>
      <//>
  `}function Qe(e){let n=t=>{(t.ctrlKey||t.metaKey)&&!t.altKey&&!t.shiftKey&&(t.key==="/"||t.key==="k")&&(t.preventDefault(),e(t.key==="k"?"palette":"shortcuts"));let o=he(t);o!==void 0&&E()&&W(o)&&t.preventDefault()};return addEventListener("keydown",n),()=>removeEventListener("keydown",n)}z(T());var xe=document.getElementById("app");xe.replaceChildren();X(a`<${Se} />`,xe);
