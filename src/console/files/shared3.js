import{H as L,c as d,d as p,da as R,ea as U,f as A,fa as f,ga as E,ha as D,i,ia as k,j as b,na as C,oa as F,pa as v,qa as M,ra as g,sa as x,ta as O,ua as V,va as T,wa as _,y as I}from"./shared1.js";function N({label:e,title:t,class:n="",children:s}){let o=A(null);p(()=>{let a=u=>{(u.type==="keydown"?u.key==="Escape":!o.current?.contains(u.target))&&o.current?.removeAttribute("open")};return addEventListener("pointerdown",a),addEventListener("keydown",a),()=>{removeEventListener("pointerdown",a),removeEventListener("keydown",a)}},[]);let r=({target:a})=>{a.closest("a, button")!==null&&o.current.removeAttribute("open")};return i`
    <details class=${`menu ${n}`} ref=${o}>
      <summary title=${t}>${e}<${I} name="down" size=${10} /></summary>
      <div class="pop" onClick=${r}>${s}</div>
    </details>
  `}var $=[{id:"overview",title:"Overview",group:"Now",needs:"admin",range:"24h",load:()=>import("./reports.js").then(e=>e.overview)},{id:"requests",title:"Requests",group:"Now",range:"24h",load:()=>import("./reports.js").then(e=>e.requests)},{id:"sessions",title:"Sessions",group:"Now",range:"24h",load:()=>import("./reports.js").then(e=>e.sessions)},{id:"status",title:"Providers",group:"Now",load:()=>import("./reports.js").then(e=>e.status)},{id:"usage",title:"Usage",group:"Spend",range:"month",load:()=>import("./reports.js").then(e=>e.usage)},{id:"savings",title:"Savings",group:"Spend",range:"month",load:()=>import("./reports.js").then(e=>e.savings)},{id:"keys",title:"Keys",group:"Spend",needs:"admin",load:()=>import("./reports.js").then(e=>e.keys)},{id:"playground",title:"Playground",group:"Build",needs:"service",load:()=>import("./tools.js").then(e=>e.playground)},{id:"models",title:"Models",group:"Build",load:()=>import("./tools.js").then(e=>e.models)},{id:"clients",title:"Clients",group:"Build",needs:"service",load:()=>import("./tools.js").then(e=>e.clients)},{id:"config",title:"Config",group:"Admin",needs:"admin",load:()=>import("./tools.js").then(e=>e.config)}],G="playground";function w(e){let[t="",n=""]=e.replace(/^#\/?/,"").split("?",2),[s="",...o]=t.split("/").map(K),r=$.some(({id:a})=>a===s);return{view:r?s:G,path:r?o:[],query:new URLSearchParams(n)}}function K(e){try{return decodeURIComponent(e)}catch{return e}}function B(e){let{query:t,view:n}=e,s=$.find(({id:r})=>r===n).range;if(t.has("zone")&&E(t.get("zone")),s===void 0)return e;let o=t.toString();return M.some(r=>t.has(r))?T(g(t,s)):x(t,_()??g(t,s)),W(t),t.toString()!==o&&z(t),e}function W(e){f()==="UTC"?e.delete("zone"):e.set("zone",f())}function z(e){let[t]=location.hash.split("?",1),n=e.toString();history.replaceState(history.state,"",n===""?t:`${t}?${n}`)}function Z(e){T(e);let{query:t}=w(location.hash);x(t,e);let[n]=location.hash.split("?",1);location.hash=`${n}?${t}`}function P(e){E(e);let{query:t,view:n}=w(location.hash);$.find(({id:s})=>s===n).range===void 0?t.delete("zone"):W(t),z(t)}var m;function se(e){let t=m={address:location.hash,onLeave:e};return()=>{m===t&&(m=void 0)}}function Q(){if(m===void 0||location.hash===m.address)return!0;let{address:e,onLeave:t}=m,n=location.hash;return history.pushState(history.state,"",e),t(n),!1}function re(){let[e,t]=d(()=>B(w(location.hash)));return p(()=>{let n=()=>Q()&&t(B(w(location.hash)));return addEventListener("hashchange",n),()=>removeEventListener("hashchange",n)},[]),e}function me(){let[e,t]=d(f);return p(()=>{let n=()=>t(f());return n(),D(n)},[]),e}function he({route:e,zone:t}){let[n,s]=d(!1),{range:o}=$.find(({id:l})=>l===e.view);if(o===void 0)return null;let r=g(e.query,o),a=V(r,t),u=i`
    <span class="only-read">Range: </span>
    <span class="long">${a}</span>
    <span class="short">${v.get(r.range)?.short??"Custom"}</span>
  `;return i`
    <${N} class="right range" title=${a} label=${u}>
      ${[...v].map(([l,{text:q,short:c}])=>i`
          <button type="button" key=${l} data-range=${l}
            aria-current=${l===r.range?"true":void 0}
            onClick=${()=>Z({range:l,from:"",to:""})}>
            <span>${q}</span><span class="faint">${j(l,t)??c}</span>
          </button>
        `)}
      <hr />
      <button type="button" data-range="custom"
        aria-current=${r.range==="custom"?"true":void 0}
        onClick=${()=>s(!0)}>From … to …</button>
    <//>
    ${n&&i`
      <${H} choice=${r} zone=${t} onClose=${()=>s(!1)} />
    `}
  `}function j(e,t){if(v.get(e).months===void 0)return;let{from:n,to:s}=O({range:e},b(),t),[o,r]=[n,s-1].map(a=>k(t,{day:"numeric",month:"short"}).format(a));return`${o} \u2013 ${r}`}function H({choice:e,zone:t,onClose:n}){let[s,o]=d(()=>{let{from:c,to:h}=O(e,b(),t);return[C(c,t),C(h,t)]}),[r,a]=s,u=r!==""&&a!==""&&r<a;return i`
    <${L} title="Range" onClose=${n} class="narrow">
      <form class="stack" onSubmit=${c=>{if(c.preventDefault(),!u)return;let[h,y]=s.map(S=>new Date(F(S,t)).toISOString());n(),Z({range:"custom",from:h,to:y})}}>
        <div class="two-fields">
          ${[["range-from","From"],["range-to","To"]].map(([c,h],y)=>i`
              <div class="field" key=${c}>
                <label for=${c}>${h}</label>
                <input id=${c} type="datetime-local" step="1" required value=${s[y]}
                  aria-describedby="range-fault"
                  onInput=${S=>o(s.with(y,S.target.value))} />
              </div>
            `)}
        </div>
        <p class="fault" id="range-fault" role="status">
          ${u?"":"The start must be before the end."}
        </p>
        <p class="hint">Times: ${t}.</p>
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class="primary" disabled=${!u}>Show</button>
        </div>
      </form>
      <//>
  `}function ge({zone:e}){let t=b(),n=[...new Set(["UTC",R,...U,e])],s=i`<span class="only-read">Time zone: </span><span class="zone">${J(e)}</span>`;return i`
    <${N} class="right zones" title=${e} label=${s}>
      ${n.map(o=>i`
          <button type="button" key=${o} data-zone=${o}
            aria-current=${o===e?"true":void 0} onClick=${()=>P(o)}>
            <span>${o}${o===R&&o!=="UTC"?", this browser":""}</span>
            <span class="faint">${k(o,{hour:"2-digit",minute:"2-digit"}).format(t)}</span>
          </button>
        `)}
      <p class="hint">Times follow the gateway's clock, not the browser's.</p>
    <//>
  `}function J(e){return e.split("/").at(-1).replaceAll("_"," ")}export{N as a,me as b,he as c,ge as d,$ as e,se as f,re as g};
