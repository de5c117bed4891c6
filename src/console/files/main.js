import{a as se,b as re,c as ae,d as ie,e as g,g as ce}from"./shared3.js";import{F as b,H as x,K as Y,W as Q,X as ee,a as Me,b as G,c as m,ca as te,d as f,f as R,fa as ne,g as k,i as a,ia as oe,m as S,n as h,o as E,p as L,q as D,r as Z,s as j,u as J,v as A,xa as _,y as T,ya as K}from"./shared1.js";var N={};Me(N,{Palette:()=>Ie});function le(e,n){let t=n.toLowerCase().split(/\s+/).filter(o=>o!=="");if(t.length===0)return e.slice(0,50);let r=[[],[],[]];for(let o of e){let s=o.text.toLowerCase();if(!t.every(l=>s.includes(l)))continue;let[i]=t,c=s.startsWith(i)?0:Ce(s,i)?1:2;r[c].push(o)}return r.flat().slice(0,50)}function Ce(e,n){let t=e.indexOf(n);return t>0&&/[^a-z0-9]/.test(e[t-1])}function ue({models:e,keys:n,providers:t},r){let o=(s,i,c)=>{let l=new URLSearchParams({[i]:c});return[{text:`${c}: requests`,kind:s,address:`#/requests?${l}`},{text:`${c}: usage`,kind:s,address:`#/usage?${l}`}]};return[...e.flatMap(s=>[...r?[{text:`${s}: try`,kind:"Model",address:`#/playground?${new URLSearchParams({model:s})}`}]:[],...o("Model","model",s)]),...n.flatMap(s=>o("Key","key",s)),...t.flatMap(s=>o("Provider","provider",s))]}var Ae=30*864e5,Te=2e3,Oe=90*864e5;function Ie({commands:e,onClose:n}){let[t,r]=m(""),[o,s]=m(0),i=_e(),c=k(()=>[...e,...ue(i,S()!=="")],[e,i]),l=k(()=>[...le(c,t),...Re(t)],[c,t]),u=Math.min(o,l.length-1);f(()=>{document.getElementById(`palette-${u}`)?.scrollIntoView({block:"nearest"})},[u]);let p=d=>{n(),d?.address!==void 0?location.hash=d.address:d?.run!==void 0&&setTimeout(d.run)},w=d=>{let $=d.key==="ArrowDown"?1:d.key==="ArrowUp"?-1:0;if($!==0&&l.length>0)s((u+$+l.length)%l.length);else if(d.key==="Enter")p(l[u]);else return;d.preventDefault()};return a`
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
        onInput=${d=>{r(d.target.value),s(0)}}
        onKeyDown=${w}
      />
      <ul id="palette-list" role="listbox" aria-label="Results">
        ${l.map((d,$)=>a`
            <li
              key=${`${d.kind} ${d.text}`}
              id=${`palette-${$}`}
              role="option"
              aria-selected=${String($===u)}
              onPointerMove=${()=>s($)}
              onClick=${()=>p(d)}
            >
              <span class="wrap-anywhere">${d.text}</span>
              <span class="row nowrap small">
                ${d.keys?.map(v=>a`<kbd key=${v}>${v}</kbd>`)}
                <span class="faint">${d.kind}</span>
              </span>
            </li>
          `)}
      </ul>
      <p class="hint" role="status">${l.length===0?"Nothing found":""}</p>
      <//>
  `}function Re(e){let n=e.trim();if(!/^\S{4,}$/.test(n))return[];if(n.startsWith("sk-")){let t=n.slice(0,18);return h()===""?[]:[{text:`Key that begins with ${t}\u2026`,kind:"Key",address:`#/keys?${new URLSearchParams({search:t})}`}]}return[{text:`Requests whose ID begins with ${n}`,kind:"Requests",run:()=>void Le(n)}]}async function Le(e){let n=new URLSearchParams({id:e,range:"90d"}),t=new Date(Date.now()-Oe).toISOString(),r=`/v1/${h()===""?"":"admin/"}requests`,{data:o}=await A(`${r}?${new URLSearchParams({id:e,from:t,limit:"2"})}`).catch(()=>({data:[]})),[s,...i]=o,c=s===void 0||i.length>0?"":`/${encodeURIComponent(s.id)}`;c!==""&&n.set("time",s.time),location.hash=`#/requests${c}?${n}`}var De={models:[],keys:[],providers:[]};function _e(){let[e,n]=m(De);return f(()=>{let t=new AbortController,{signal:r}=t,o=h()!=="",s=new Date(Date.now()-Ae).toISOString(),i=async u=>{let p=new URLSearchParams({from:s,group_by:u,limit:String(Te)}),w=`/v1/${o?"admin/":""}usage?${p}`,{data:d}=await A(w,{signal:r});return d.flatMap($=>$[u]??[])},c=async()=>S()===""?[]:(await A("/v1/models",{signal:r})).data.map(({id:u})=>u);return(async()=>{let[u,p,w,d]=await Promise.all([c(),i("model"),o?i("key"):[],i("provider")].map($=>Promise.resolve($).catch(()=>[])));r.aborted||n({models:[...new Set([...u,...p])].sort(),keys:w,providers:d})})(),()=>t.abort()},[]),e}function de({alerts:e=[],config:n,models:t=[],providers:r}){let o=[];n?.valid===!1&&o.push({text:"The configuration file is not valid: the gateway uses the previous one.",view:"config",since:null});for(let{breaker:s,health:i,id:c,provider:l}of t){let u=`${c} at ${l}`;if(i&&Ne.has(i.state)){let p=`${Q.get(i.state).text}: ${u}`;o.push({text:p,view:"status",since:i.since})}else s==="open"&&!ee(i?.state)&&o.push({text:`Open circuit breaker: ${u}`,view:"status",since:null})}for(let{enabled:s,id:i,keys:c,resting_keys:l}of r)!s||c===0||l<c||o.push({text:`All keys are suspended: ${i}`,view:"status",since:null});for(let{rule:s,since:i,text:c}of e){let l=Ke.get(s);l!==void 0&&o.push({text:c,view:l,since:i})}return o}var Ke=new Map([["budget","keys"],["no_traffic","requests"],["store_down","overview"]]),Ne=new Set(["failing","degraded","silent"]);var Pe=2e4,P=5e3,q={state:void 0,alerts:[],awaySince:void 0,nextLook:void 0};function pe(e,n){let[t,r]=m(q);return f(()=>{if(r(q),e===void 0)return;let o=new AbortController;return qe(e,o.signal,r),()=>o.abort()},[e,n]),t}async function qe(e,n,t){for(;!n.aborted;){let r=Pe;try{let o=await Ue(e,n);if(n.aborted)return;o!==void 0&&t({...q,state:o,alerts:de(o)})}catch(o){if(n.aborted)return;if(o?.isPassing){r=P;let s=Date.now();t(i=>({...i,awaySince:i.awaySince??s,nextLook:s+P}))}}await Ve(r,n)}}function Ve(e,n){return new Promise(t=>{let r=()=>{clearTimeout(s),document.removeEventListener("visibilitychange",o),removeEventListener("gateway-away",r),n.removeEventListener("abort",r),t()},o=()=>document.visibilityState==="visible"&&r(),s=setTimeout(()=>{document.visibilityState==="visible"?r():document.addEventListener("visibilitychange",o)},e);e>P&&addEventListener("gateway-away",r),n.addEventListener("abort",r)})}async function Ue(e,n){let t=await J(e,{signal:n}),r;try{await te(t,({name:o,data:s})=>{if(o==="state")throw r=JSON.parse(s),fe})}catch(o){if(o!==fe)throw o}return r}var fe=Symbol("found");function V(e,{hasAdmin:n,hasService:t},r){return e.filter(({id:o,needs:s})=>o===r||s===void 0||(s==="admin"?n:t))}var We=["overview","requests","status","usage","playground","models"],Be=4;function me({current:e,session:n,alerts:t,isShown:r,onKeys:o}){let s=V(g,n,e),i=[...new Set(g.map(({group:c})=>c))];return a`
    <nav class=${`rail${r?" shown":""}`} aria-label="Views">
      <a class="brand" href=${`#/${s[0].id}`} title="Sluice"><${U} /><b>Sluice</b></a>
      ${i.map(c=>{let l=s.filter(u=>u.group===c);return l.length>0&&a`
          <div class="rail-group" key=${c}>
            <p class="rail-title">${c}</p>
            ${l.map(u=>a`
                <${He}
                  key=${u.id}
                  view=${u}
                  isCurrent=${u.id===e}
                  number=${s.indexOf(u)+1}
                  alerts=${t.filter(p=>p.view===u.id).length}
                />
              `)}
          </div>
        `})}
      <div class="rail-foot">
        <p><b>${n.hasAdmin?"Admin":"Service key"}</b>
          ${n.hasAdmin&&n.hasService?" and a service key":""}</p>
        <button type="button" onClick=${o}>Keys in this tab</button>
      </div>
    </nav>
  `}function He({view:{id:e,title:n},isCurrent:t,number:r,alerts:o}){return a`
    <a
      href=${`#/${e}`}
      title=${n}
      aria-current=${t?"page":void 0}
      aria-keyshortcuts=${r<10?`Alt+Shift+${r}`:void 0}
    >
      <${T} name=${e} /><span class="rail-name">${n}</span>
      ${o>0&&a`
        <span class="rail-count st failing" title=${`${o} open alerts`}>${o}</span>
      `}
    </a>
  `}function $e({current:e,session:n,isMore:t,onMore:r}){let o=V(g,n,e),s=We.flatMap(i=>o.find(c=>c.id===i)??[]).slice(0,Be);return a`
    <nav class="bottom-bar" aria-label="Main views">
      ${s.map(({id:i,title:c})=>a`
          <a key=${i} href=${`#/${i}`} aria-current=${i===e?"true":void 0}>
            <${T} name=${i} size=${20} />${c}
          </a>
        `)}
      <button type="button" aria-expanded=${String(t)} onClick=${r}>
        <${T} name="more" size=${20} />More
      </button>
    </nav>
  `}function U(){return a`
    <svg width="18" height="18" viewBox="0 0 20 20" fill="none" stroke="currentColor"
      stroke-width="1.8" stroke-linecap="round" aria-hidden="true">
      <path d="M5 2.5v15M15 2.5v15M5 6h10M1.5 13c2.8-2 5.7 2 8.5 0s5.7-2 8.5 0" />
    </svg>
  `}function he({altKey:e,shiftKey:n,ctrlKey:t,metaKey:r,code:o}){let s=/^(?:Key|Digit)([A-Z0-9])$/.exec(o)?.[1];return e&&n&&!t&&!r&&s?`Alt+Shift+${s}`:void 0}function we(){return[...([...document.querySelectorAll("dialog[open]")].at(-1)??document).querySelectorAll("[aria-keyshortcuts]")].filter(n=>!n.disabled&&n.getClientRects().length>0)}function W(e){let n=we().find(t=>t.getAttribute("aria-keyshortcuts")===e);return n===void 0?!1:(n.matches("input, select, textarea")&&n.type!=="checkbox"?(n.focus(),n.select?.()):n.click(),!0)}function B(){return we().map(e=>{let n=e.getAttribute("aria-keyshortcuts");return{isView:e.closest("nav")!==null,keys:n.split("+"),label:ze(e),run:()=>W(n)}})}function ze(e){return(e.getAttribute("aria-label")??e.labels?.[0]?.innerText??e.innerText).trim().replaceAll(/\s+/g," ")}function ye(e){return oe(ne(),{hour:"2-digit",minute:"2-digit"}).format(new Date(e))}function ge({connection:{awaySince:e,nextLook:n,state:t}}){let r=Fe(n);return e!==void 0?a`
      <span class="conn">
        <span class="st failing" role="status">
          Not reachable since ${ye(e)}
        </span>
        <span class="long">next try in ${r} s</span>
      </span>
    `:t===void 0?a`<span class="conn" role="status">Connecting</span>`:a`
    <span class="conn">
      <${_} state="ok" isShort=${!0} />
      <b role="status">Connected</b>
      <span class="long">
        ${t.workers===void 0||t.workers===1?"":`${t.workers} workers`}
      </span>
    </span>
  `}function Fe(e){let[,n]=m(0);return f(()=>{if(e===void 0)return;let t=setInterval(()=>n(r=>r+1),1e3);return()=>clearInterval(t)},[e]),e===void 0?0:Math.max(0,Math.ceil((e-Date.now())/1e3))}function ve({alerts:e}){if(e.length===0)return null;let n=a`
    <${_} state="failing" isShort=${!0} />
    <span>${e.length}</span>
    <span class="long">${e.length===1?"open alert":"open alerts"}</span>
  `;return a`
    <${se} class="alerts" label=${n}>
      ${e.map(({since:t,text:r,view:o})=>a`
          <a key=${r} href=${`#/${o}`}>
            <span class="clip" title=${r}>${r}</span>
            ${t&&a`<span class="faint">${ye(t)}</span>`}
          </a>
        `)}
    <//>
  `}var ke="sluice.theme",M=["auto","light","dark"];function O(){try{let e=localStorage.getItem(ke);return M.includes(e)?e:"auto"}catch{return"auto"}}function Se(e){try{localStorage.setItem(ke,e)}catch{}H(e)}function H(e){e==="auto"?delete document.documentElement.dataset.theme:document.documentElement.dataset.theme=e}function be(){let e=ce(),n=re(),[t,r]=m(E),[o,s]=m(null),[i,c]=m({isOpen:!1,count:0}),l=h()===""?"/v1/live":"/v1/admin/live",u=pe(t?l:void 0,i.count),{alerts:p,awaySince:w}=u,d=w!==void 0,$={hasAdmin:h()!=="",hasService:S()!==""},[v,z]=m(!1);f(()=>z(!1),[e.view]);let I=R(null);f(()=>j(()=>{r(E()),c(({isOpen:y,count:X})=>({isOpen:L(),count:y&&!L()?X+1:X}))}),[]),f(()=>nt(s),[]),f(Z,[]),f(()=>{t&&location.hash===""&&location.replace(`#/${Xe()}`)},[t]);let{title:C}=g.find(({id:y})=>y===e.view),F=R(!0);return f(()=>{let y=p.length>0?`(${p.length}) `:"";document.title=t?`${y}${C} \u2013 Sluice`:"Sign in \u2013 Sluice"},[C,t,p.length]),f(()=>{F.current||I.current?.focus(),F.current=!1},[C,t]),a`
    <a class="skip-link" href="#main" onClick=${y=>{y.preventDefault(),I.current?.focus()}}>Skip to the content</a>
    ${t&&a`
      <${me}
        current=${e.view}
        session=${$}
        alerts=${p}
        isShown=${v}
        onKeys=${()=>s("keys")}
      />
    `}
    <header class=${`top-bar${d?" away":""}`}>
      ${t?a`
          <${ge} connection=${u} />
          <${ve} alerts=${p} />
        `:a`<span class="brand"><${U} /><b>Sluice</b></span>`}
      <div class="top-tools">
        ${t&&a`
          <${ae} route=${e} zone=${n} />
          <${ie} zone=${n} />
          <${b} icon="search" label="Go to (Ctrl K)" onClick=${()=>s("palette")} />
        `}
        <${Qe} />
        <${b}
          icon="keyboard"
          class="wide-only"
          label="Keyboard shortcuts"
          onClick=${()=>s("shortcuts")}
        />
        ${t&&a`<${b} icon="out" label="Sign out" onClick=${D} />`}
      </div>
    </header>
    ${t&&i.isOpen&&a`
      <div class="alert-bar" role="alert">
        <span>The gateway no longer accepts your key.</span>
        <button type="button" class="link" onClick=${()=>s("keys")}>
          Sign in again
        </button>
      </div>
    `}
    <main id="main" ref=${I} data-away=${d||void 0} tabindex="-1" aria-label=${t?C:"Sign in"}>
      ${t?a`<${je} key=${`${e.view} ${i.count}`} route=${e} />`:a`<${K} />`}
    </main>
    ${t&&a`
      <${$e}
        current=${e.view}
        session=${$}
        isMore=${v}
        onMore=${()=>z(!v)}
      />
    `}
    ${o==="shortcuts"&&a`<${tt} onClose=${()=>s(null)} />`}
    ${o==="keys"&&t&&a`
      <${x} title="Your keys" onClose=${()=>s(null)}>
        <${K} onDone=${()=>s(null)} />
        <//>
    `}
    ${o==="palette"&&t&&a`
      <${Ge} onClose=${()=>s(null)} />
    `}
  `}function Xe(){return h()===""?"playground":"overview"}function Ge({onClose:e}){let[n,t]=m(void 0),r=k(()=>[...B().map(({isView:o,keys:s,label:i,run:c})=>({text:i,kind:o?"View":"Action",keys:s,run:c})),{text:"Sign out",kind:"Action",run:D}],[]);return f(()=>{Promise.resolve(N).then(o=>t(()=>o.Palette),e)},[]),n&&a`<${n} commands=${r} onClose=${e} />`}var Ze=5e3;function je({route:e}){let[n,t]=m({});f(()=>{let s=!0,i,c=()=>g.find(({id:l})=>l===e.view).load().then(l=>s&&t({Component:l.default}),()=>{s&&(t({isMissing:!0}),i=setTimeout(c,Ze))});return c(),()=>{s=!1,clearTimeout(i)}},[e.view]);let{Component:r,isMissing:o}=n;return r?a`
      <div data-view=${e.view}>
        <${r} route=${e} />
      </div>
    `:a`
    <div class="view">${o?a`<${Je} />`:a`<${Y} />`}</div>
  `}function Je(){return a`
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
  `}var Ye={auto:"Theme: same as the system",light:"Theme: light",dark:"Theme: dark"};function Qe(){let[e,n]=m(O),t=()=>{let r=M[(M.indexOf(e)+1)%M.length];Se(r),n(r)};return a`<${b} icon=${e} label=${Ye[e]} onClick=${t} />`}var et=[[["Ctrl","Enter"],"Send the message"],[["Ctrl","Shift","Enter"],"Preview the request without sending it"],[["Esc"],"Stop all answers, or close a dialog"],[["Ctrl","K"],"Go to a view, action, model, key or request"],[["Ctrl","/"],"Show these shortcuts"],[["j"],"Next row of a table"],[["k"],"Row before"],[["Enter"],"Open the row"]];function tt({onClose:e}){let n=k(()=>[...et,...B().map(({keys:t,label:r})=>[t,r])],[]);return a`
    <${x} title="Keyboard shortcuts" onClose=${e}>
      <div class="stack">
        <dl class="shortcuts">
        ${n.map(([t,r])=>a`
            <dt key=${r} class="row">${t.map(o=>a`<kbd key=${o}>${o}</kbd>`)}</dt>
            <dd>${r}</dd>
          `)}
      </dl>
        <p class="hint">On a Mac, use Cmd instead of Ctrl.</p>
      </div>
      <//>
  `}function nt(e){let n=t=>{(t.ctrlKey||t.metaKey)&&!t.altKey&&!t.shiftKey&&(t.key==="/"||t.key==="k")&&(t.preventDefault(),e(t.key==="k"?"palette":"shortcuts"));let o=he(t);o!==void 0&&E()&&W(o)&&t.preventDefault()};return addEventListener("keydown",n),()=>removeEventListener("keydown",n)}H(O());var xe=document.getElementById("app");xe.replaceChildren();G(a`<${be} />`,xe);
