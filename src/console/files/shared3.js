import{H as L,c as d,ca as R,d as p,da as U,ea as f,f as A,fa as E,ga as D,ha as k,i,j as b,ma as C,na as F,oa as v,pa as M,qa as g,ra as x,sa as O,ta as V,ua as T,va as _,y as I}from"./shared1.js";function N({label:e,title:t,class:n="",children:s}){let o=A(null);p(()=>{let a=u=>{(u.type==="keydown"?u.key==="Escape":!o.current?.contains(u.target))&&o.current?.removeAttribute("open")};return addEventListener("pointerdown",a),addEventListener("keydown",a),()=>{removeEventListener("pointerdown",a),removeEventListener("keydown",a)}},[]);let r=({target:a})=>{a.closest("a, button")!==null&&o.current.removeAttribute("open")};return i`
    <details class=${`menu ${n}`} ref=${o}>
      <summary title=${t}>${e}<${I} name="down" size=${10} /></summary>
      <div class="pop" onClick=${r}>${s}</div>
    </details>
  `}var $=[{id:"overview",title:"Overview",group:"Now",needs:"admin",range:"24h",load:()=>import("./reports.js").then(t=>t.overview)},{id:"requests",title:"Requests",group:"Now",range:"24h",load:()=>import("./reports.js").then(t=>t.requests)},{id:"sessions",title:"Sessions",group:"Now",range:"24h",load:()=>import("./reports.js").then(t=>t.sessions)},{id:"status",title:"Providers",group:"Now",load:()=>import("./reports.js").then(t=>t.status)},{id:"usage",title:"Usage",group:"Spend",range:"month",load:()=>import("./reports.js").then(t=>t.usage)},{id:"savings",title:"Savings",group:"Spend",range:"month",load:()=>import("./reports.js").then(t=>t.savings)},{id:"keys",title:"Keys",group:"Spend",needs:"admin",load:()=>import("./reports.js").then(t=>t.keys)},{id:"playground",title:"Playground",group:"Build",needs:"service",load:()=>import("./tools.js").then(t=>t.playground)},{id:"models",title:"Models",group:"Build",load:()=>import("./tools.js").then(t=>t.models)},{id:"clients",title:"Clients",group:"Build",needs:"service",load:()=>import("./tools.js").then(t=>t.clients)},{id:"config",title:"Config",group:"Admin",needs:"admin",load:()=>import("./tools.js").then(t=>t.config)}],G="playground";function w(t){let[e="",n=""]=t.replace(/^#\/?/,"").split("?",2),[s="",...o]=e.split("/").map(K),r=$.some(({id:a})=>a===s);return{view:r?s:G,path:r?o:[],query:new URLSearchParams(n)}}function K(t){try{return decodeURIComponent(t)}catch{return t}}function B(t){let{query:e,view:n}=t,s=$.find(({id:r})=>r===n).range;if(e.has("zone")&&E(e.get("zone")),s===void 0)return t;let o=e.toString();return M.some(r=>e.has(r))?T(g(e,s)):x(e,_()??g(e,s)),W(e),e.toString()!==o&&z(e),t}function W(t){f()==="UTC"?t.delete("zone"):t.set("zone",f())}function z(t){let[e]=location.hash.split("?",1),n=t.toString();history.replaceState(history.state,"",n===""?e:`${e}?${n}`)}function Z(t){T(t);let{query:e}=w(location.hash);x(e,t);let[n]=location.hash.split("?",1);location.hash=`${n}?${e}`}function P(t){E(t);let{query:e,view:n}=w(location.hash);$.find(({id:s})=>s===n).range===void 0?e.delete("zone"):W(e),z(e)}var m;function st(t){let e=m={address:location.hash,onLeave:t};return()=>{m===e&&(m=void 0)}}function Q(){if(m===void 0||location.hash===m.address)return!0;let{address:t,onLeave:e}=m,n=location.hash;return history.pushState(history.state,"",t),e(n),!1}function rt(){let[t,e]=d(()=>B(w(location.hash)));return p(()=>{let n=()=>Q()&&e(B(w(location.hash)));return addEventListener("hashchange",n),()=>removeEventListener("hashchange",n)},[]),t}function mt(){let[t,e]=d(f);return p(()=>{let n=()=>e(f());return n(),D(n)},[]),t}function ht({route:t,zone:e}){let[n,s]=d(!1),{range:o}=$.find(({id:l})=>l===t.view);if(o===void 0)return null;let r=g(t.query,o),a=V(r,e),u=i`
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
      <p class="hint">Times follow the clock of the gateway, not that of the browser.</p>
    <//>
  `}function J(e){return e.split("/").at(-1).replaceAll("_"," ")}export{N as a,me as b,he as c,ge as d,$ as e,se as f,re as g};
