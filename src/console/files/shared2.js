import{A as ce,B as le,C as ue,D,H as M,J as de,K as q,L as fe,M as k,N as X,R as pe,T as G,V as v,W as T,X as he,Y as P,Z as I,ba as me,c as $,d as b,e as C,ea as O,f as y,g as W,h as j,ha as S,i as c,j as ee,la as z,m as te,n as ne,pa as $e,qa as ge,s as oe,sa as be,u as re,v as _,x as se,xa as ye,y as ie,z as ae}from"./shared1.js";function Xt(){let[,e]=$(0);return b(()=>oe(()=>e(t=>t+1)),[]),{hasAdmin:ne()!=="",hasService:te()!==""}}var we=2e3,Ge=15e3;function ze(e,t){let n=y(we);b(()=>{if(e===void 0&&(n.current=we),!e?.isPassing)return;let o=setTimeout(t,n.current);return n.current=Math.min(2*n.current,Ge),()=>clearTimeout(o)},[e])}function Gt(e,t,n=!0){let o=y(e);o.current=e,b(()=>{if(!n)return;let r=setInterval(()=>document.hidden||o.current(),t);return()=>clearInterval(r)},[t,n])}function Ye(e){let t=y([]);return b(()=>void(t.current=e),e),e.some((n,o)=>n!==t.current[o])}function Y(e,t){let[n,o]=$({data:void 0,error:void 0,isLoading:!0}),[r,s]=$(0),i=Ye([...t,r]),a=y(e);a.current=e,b(()=>{let h=new AbortController,{signal:f}=h;return o(d=>({...d,isLoading:!0})),a.current(f).then(d=>f.aborted||o({data:d,error:void 0,isLoading:!1}),d=>f.aborted||o(({data:m})=>({data:d.isPassing?m:void 0,error:d,isLoading:!1}))),()=>h.abort()},[...t,r]);let l=j(()=>s(h=>h+1),[]);ze(n.error,l);let u=j(h=>o(f=>({...f,data:h})),[]);return{...n,isLoading:n.isLoading||i,reload:l,setData:u}}function zt({hasAdmin:e},t,n){let o=n===void 0?"":new URLSearchParams(n).toString();return`/v1/${e?"admin/":""}${t}${o===""?"":`?${o}`}`}var Je=1e3;async function Yt(e,t){let n=[];for(let o="";o!==void 0;){let r=new URLSearchParams({...e,limit:Je,...o!==""&&{after:o}}),{data:s,has_more:i}=await _(`/v1/admin/keys?${r}`,{signal:t});n.push(...s),o=i?s.at(-1).id:void 0}return n}function en({title:e,note:t,children:n}){return c`
    <header class="view-head">
      <div class="view-title">
        <h1>${e}</h1>
        ${t&&c`<p class="soft">${t}</p>`}
      </div>
      <div class="view-tools">${n}</div>
    </header>
  `}function tn({what:e}){let[t,n]=$(!1);return c`
    <div class="card empty stack">
      <p><strong>${e}</strong></p>
      <p>
        Admin keys are set in <code>server.admin_keys</code> of <code>config.yaml</code>.
      </p>
      <p>
        <button type="button" class="primary" onClick=${()=>n(!0)}>
          Enter the admin key
        </button>
      </p>
    </div>
    ${t&&c`
      <${M} title="Your keys" onClose=${()=>n(!1)}>
        <${ye} onDone=${()=>n(!1)} />
        <//>
    `}
  `}function nn({label:e,value:t,note:n,tone:o="",children:r}){return c`
    <div class=${`figure ${o}`}>
      <dt>${e}</dt>
      <dd>
        <div class="figure-line">
          <span class="figure-value">${t}</span>
          ${n&&c`
            <span class="figure-note">${n}</span>
          `}
        </div>
        ${r}
      </dd>
    </div>
  `}function ve({label:e,children:t,class:n=""}){return c`
    <div class=${`table-scroll ${n}`} role="group" aria-label=${e} tabindex="0">
      <table>
        <caption class="only-read">${e}</caption>
        ${t}
      </table>
    </div>
  `}function on({value:e,format:t=String}){return e==null?c`<span class="faint">unknown</span>`:c`${t(e)}`}var xe={hour:"2-digit",minute:"2-digit"},ke={day:"numeric",month:"short",...xe};function Ve(e){let t=({incident:n,recent:o})=>n?.failures??o.failures;return e.toSorted((n,o)=>he(n.state,o.state)||t(o)-t(n))}function Ze(e){return Ve(e.filter(({state:t})=>T(t)))}function cn({at:e,reading:t,since:n,targets:o}){let r=Date.parse(e),[s,...i]=Ze(o);if(s===void 0)return{title:Qe(o),text:et(n,t)};let a=[`${nt(P(s,r))}.`,I(s)&&`${I(s)}.`,i.length>0&&`${i.length} more ${i.length===1?"target needs":"targets need"} a look.`],l=s.since===null?"":` since ${J(s.since,r)}`;return{title:`${tt(s)} ${v.get(s.state).verb}${l}`,text:a.filter(u=>u).join(" ")}}function Qe(e){let t=e.filter(({state:n})=>n!=="unused");return t.length===0?"No target was used in 24 hours":t.length===1?"The only used target is OK":`All ${t.length} used targets are OK`}function et(e,t){return t?"The last day is still being read from the ledger.":`Known since ${S(O(),ke).format(new Date(e))}.`}function tt({provider:e,upstream:t}){return t===""?e:`${e} ${t}`}function J(e,t){let n=t-Date.parse(e)<72e6;return S(O(),n?xe:ke).format(new Date(e))}function nt(e){return e.charAt(0).toUpperCase()+e.slice(1)}function un(e,t,n){let o=URL.createObjectURL(new Blob([t],{type:n})),r=document.createElement("a");r.href=o,r.download=e,r.click(),URL.revokeObjectURL(o)}var N=["id","key","model","provider","status","tag","end_user","session","min_ms","min_cost_usd","path"],ot=["time","status","model","provider","key","path","ms","cost_usd","input_tokens","output_tokens","first_token_ms","attempt_count"],rt="24h",st={...Object.fromEntries(N.map(e=>[e,""])),range:"",from:"",to:"",sort:"",order:""};function pn(e){let t=e.get("order")==="asc",n=ot.find(s=>s===e.get("sort"))??"",o=n==="time"&&!t?"":n;return{...{...Object.fromEntries(N.map(s=>[s,e.get(s)??""])),sort:o,order:o!==""&&t?"asc":""},...ge(e,rt)}}function hn(e){return N.some(t=>e[t]!=="")}function mn(e,t,n){let o=r=>new Date(r).toISOString();return{...e,range:"custom",from:o(t),to:o(n)}}function $n({range:e,from:t,to:n}){return{...st,range:e,from:t,to:n}}function gn(e,t,n){let o=new URLSearchParams;for(let i of[...N,...$e,"sort","order"]){let a=e[i]??"";a!==""&&!(i==="range"&&a==="custom")&&o.set(i,a)}t!==void 0&&n&&o.set("time",n);let r=o.toString(),s=t===void 0?"#/requests":`#/requests/${encodeURIComponent(t)}`;return r===""?s:`${s}?${r}`}function bn(e,t,n){let{from:o,isOpen:r,to:s}=it(e,t,n),i=l=>new Date(l).toISOString(),a=new URLSearchParams({from:i(o),...!r&&{to:i(s)}});for(let l of N)e[l]!==""&&a.set(l,e[l]);return a}function it(e,t,n){return be(e,t,n)}function vn({id:e,root:t}){return e===t?"model":e.startsWith(`${t}@`)?"pinned":"alias"}function xn({context_window:e,max_output_tokens:t}){return[...e?[`${X(e)} context`]:[],...t?[`${X(t)} output`]:[]]}var Se=new Map([["images",[1,"image"]],["searches",[1e3,"1,000 searches"]],["characters",[1e6,"million characters"]],["seconds",[60,"minute"]]]);function at(e,t){let[n,o]=Se.get(e)??[1,e];return`$${Number((t*n).toPrecision(3))} per ${o}`}function Le(e){return[...Se.keys()].filter(t=>e?.units?.[t]!==void 0).map(t=>at(t,e.units[t]))}function ct(e){return e.input>0||e.output>0||Le(e).length===0}function kn({prices:e}){return e?[...ct(e)?[`${G(e.input)} in, ${G(e.output)} out`]:[],...Le(e)].join(", "):void 0}var lt=new Map([["tools","tools"],["vision","images"],["json_schema","JSON schema"],["reasoning","reasoning"]]);function Sn({capabilities:e}){return[...lt].filter(([t])=>e?.[t]).map(([,t])=>t)}var ut=["images","speech","transcription","rerank","embeddings","moderation"];function Ln({capabilities:e,dimensions:t}){return ut.find(o=>e?.[o]===!0)??(t===void 0?"chat":"embeddings")}var dt={timeStyle:"medium"},Oe={day:"numeric",month:"short",hour:"2-digit",minute:"2-digit",second:"2-digit"},ft={dateStyle:"medium",timeStyle:"long"},pt={dateStyle:"medium"};function Rn(e,t=ee()){let n=O(),o=new Date(e),r=z(o.getTime(),n)===z(t,n);return S(n,r?dt:Oe).format(o)}function Ee(e){return S(O(),ft).format(new Date(e))}function Cn(e){let t=S(O(),Oe).format(new Date(e));return e%6e4===0?t.replace(/:00$/,""):t}var Te=[[864e5,"d"],[36e5,"h"],[6e4,"min"],[1e3,"s"]];function _n(e){let[t,n]=Te.find(([o])=>e%o===0)??Te.at(-1);return`${e/t} ${n}`}function An(e){return S("UTC",pt).format(new Date(e*1e3))}function Re({label:e,anchor:t,items:n,onClose:o}){let r=y(null),[s,i]=$(void 0);C(()=>{r.current.showPopover(),ht(r.current,t),r.current.querySelector("[role=menuitem]")?.focus()},[]),b(()=>{let u=({target:h})=>{!r.current?.contains(h)&&!t.contains(h)&&o()};return addEventListener("pointerdown",u),addEventListener("scroll",o,{capture:!0,passive:!0}),addEventListener("resize",o),()=>{removeEventListener("pointerdown",u),removeEventListener("scroll",o,{capture:!0}),removeEventListener("resize",o)}},[]);let a=()=>{o(),t.isConnected&&t.focus({preventScroll:!0})},l=async u=>{if(u.copy!==void 0)return i(await se(u.copy)?u.text:void 0);a(),u.run?.()};return c`
    <div class="row-menu" popover="manual" role="menu" aria-label=${`Actions: ${e}`} ref=${r}
      onKeyDown=${u=>mt(u,r.current,a)}>
      ${n.map(u=>u.href===void 0?c`
            <button type="button" key=${u.text} role="menuitem" tabindex="-1"
              class=${u.isDanger?"danger":""} onClick=${()=>l(u)}
            ><span aria-live="polite">${s===u.text?"Copied":u.text}</span></button>
          `:c`
            <a key=${u.text} role="menuitem" tabindex="-1" href=${u.href} onClick=${a}
            >${u.text}</a>
          `)}
    </div>
  `}function ht(e,t){let n=t.getBoundingClientRect(),o=n.bottom+e.offsetHeight+8>innerHeight;e.style.left=`${Math.max(8,n.right-e.offsetWidth)}px`,e.style.top=`${o?Math.max(8,n.top-e.offsetHeight-4):n.bottom+4}px`}function mt(e,t,n){let o=[...t.querySelectorAll("[role=menuitem]")],r=o.indexOf(document.activeElement),s={ArrowDown:(r+1)%o.length,ArrowUp:(r+o.length-1)%o.length,Home:0,End:o.length-1};e.stopPropagation(),e.key==="Escape"||e.key==="Tab"?(e.preventDefault(),n()):Object.hasOwn(s,e.key)&&(e.preventDefault(),o[s[e.key]].focus())}var Ce=100,_e=24,V=32,$t=60,gt=2e3,bt=matchMedia("(max-width: 719px)");function Ae(e,t){let n=t>Ce,[o,r]=$({from:0,to:Ce,height:V});return C(()=>{if(!n)return;let s=l=>r(u=>u.from===l.from&&u.to===l.to&&u.height===l.height?u:l),i=()=>{let l=bt.matches?$t:V,{top:u,bottom:h}=e.current.getBoundingClientRect(),f=e.current.querySelector("tbody").getBoundingClientRect().top,d={top:Math.max(0,u),bottom:Math.min(innerHeight,h)};s({...ue({count:t,height:l,start:f,...d}),height:l})},a=()=>r({from:0,to:Math.min(t,gt),height:V});return i(),addEventListener("scroll",i,{capture:!0,passive:!0}),addEventListener("resize",i),addEventListener("beforeprint",a),addEventListener("afterprint",i),()=>{removeEventListener("scroll",i,{capture:!0}),removeEventListener("resize",i),removeEventListener("beforeprint",a),removeEventListener("afterprint",i)}},[t,n]),n?{...o,from:Math.min(o.from,t),to:Math.min(o.to,t),isLong:n}:{from:0,to:t,height:o.height,isLong:n}}function Me(e){b(()=>{let{current:t}=e,n=()=>{let{clientWidth:r,scrollLeft:s,scrollWidth:i}=t;t.toggleAttribute("data-left",s>0),t.toggleAttribute("data-right",s+r<i-1)},o=new ResizeObserver(n);return o.observe(t),o.observe(t.firstElementChild),t.addEventListener("scroll",n,{passive:!0}),()=>{o.disconnect(),t.removeEventListener("scroll",n)}},[])}function Ie(e,t){let[n,o]=$(void 0),r=y(void 0),s=y(!1);return r.current={...t,cursor:n},b(()=>o(void 0),[t.current]),b(()=>{let i=a=>{if(!yt(a,e.current))return;let{current:l,cursor:u,hrefOf:h,idOf:f,onClose:d,rows:m}=r.current,p=m.findIndex(g=>f(g)===(u??l));if(a.key==="j"||a.key==="k"){let g=a.key==="j"?1:-1,w=Math.min(m.length-1,Math.max(0,p+g));if(m.length===0)return;wt(e.current,w,r.current),s.current=!0,o(f(m[w]))}else if(a.key==="Enter"&&p>=0&&!a.target.closest("a, button, input")){let g=h?.(m[p]);g!==void 0&&(location.hash=g)}else if(a.key==="Escape"&&d!==void 0)d();else return;a.preventDefault()};return addEventListener("keydown",i),()=>removeEventListener("keydown",i)},[]),b(()=>{if(!s.current||n===void 0)return;let i=e.current.querySelector(`[data-row="${CSS.escape(n)}"]`);i!==null&&(s.current=!1,t.isLong||i.scrollIntoView({block:"nearest"}),i.querySelector(".k :is(a, button), .act button")?.focus({preventScroll:!0}))}),{cursor:n}}function yt(e,t){if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return!1;let{target:n}=e;return n.matches?.("textarea, select, [contenteditable], input:not([type=checkbox])")||document.querySelector("dialog[open]")!==null?!1:(n.closest?.(".tbl")??document.querySelector(".tbl"))===t}function wt(e,t,{height:n,isLong:o}){if(!o)return;let r=e.querySelector("tbody").getBoundingClientRect(),s=e.getBoundingClientRect(),i=e.querySelector("thead").getBoundingClientRect().height,a=e.scrollHeight>e.clientHeight+1,l=document.querySelector(".top-bar").getBoundingClientRect().bottom,u=r.top+t*n,h=Math.max(a?s.top+i:0,l),f=Math.min(a?s.bottom:1/0,innerHeight)-n,d=u<h?u-h:u>f?u-f:0;d!==0&&(a?e:globalThis).scrollBy({top:d,behavior:"instant"})}function Xn(e){let{label:t,columns:n,rows:o,idOf:r,order:s,onOrder:i,current:a,hasPanel:l}=e,[u,h]=$(s),f=i===void 0?u:s,d=i??h,m=W(()=>le(n,o,f.id),[n,o,f.id]),p=W(()=>i!==void 0?o:ce(o,n.find(({id:L})=>L===f.id),f.isRising),[o,n,f.id,f.isRising,i===void 0]),g=y(null),[w,F]=$(null),{from:x,to:E,height:U,isLong:R}=Ae(g,p.length),We=Ie(g,{...e,rows:p,height:U,isLong:R,current:a});Me(g);let je=m.some(({foot:L})=>L!==void 0),H=m.length+(e.actionsOf===void 0?0:1);return c`
    <${Ot} columns=${m} order=${f} onOrder=${d} />
    <div
      class=${`tbl${p.length>_e?" tall":""}${R?" long":""}${l?" has-panel":""}`}
      ref=${g}
      role="group"
      aria-label=${t}
      tabindex="0"
    >
      <table role="table" aria-rowcount=${R?p.length+1:void 0}>
        <caption class="only-read">${t}</caption>
        <${xt} ...${e} columns=${m} order=${f} setOrder=${d} />
        <tbody role="rowgroup">
          ${R&&c`<${Ne} key="before" rows=${x} height=${U} span=${H} />`}
          ${p.slice(x,E).map((L,qe)=>{let A=r(L);return c`
              <${kt} ...${e} key=${A} id=${A} row=${L} columns=${m}
                order=${f}
                index=${R?x+qe:void 0}
                isCurrent=${A===a||A===We.cursor}
                onMenu=${Xe=>F({id:A,row:L,anchor:Xe})} openId=${w?.id} />
            `})}
          ${R&&c`
            <${Ne} key="after" rows=${p.length-E} height=${U} span=${H} />
          `}
        </tbody>
        ${je&&c`<${Tt} columns=${m} hasActions=${H>m.length} />`}
      </table>
    </div>
    ${w!==null&&c`
      <${Re} key=${w.id} label=${String(n[0].of(w.row))} anchor=${w.anchor}
        items=${e.actionsOf(w.row)} onClose=${()=>F(null)} />
    `}
  `}function Ne({rows:e,height:t,span:n}){return c`
    <tr class="gap" aria-hidden="true" style=${{height:`${e*t}px`}}>
      <td colspan=${n}></td>
    </tr>
  `}function vt({id:e,isRisingFirst:t},n){return{id:e,isRising:n.id===e?!n.isRising:t===!0}}function B({isNumber:e,isProse:t,panel:n,class:o},r){let s=n!==void 0&&!r?`panel-${n}`:"";return[e&&"num",t&&"why",s,o].filter(Boolean).join(" ")}function xt({columns:e,order:t,setOrder:n,marks:o,rows:r,actionsOf:s}){return c`
    <thead role="rowgroup">
      <tr role="row">
        ${e.map((i,a)=>{let l=i.id===t.id,u=t.isRising?"ascending":"descending";return c`
            <th key=${i.id} scope="col" role="columnheader" title=${i.hint}
              class=${`${a===0?"k ":""}${B(i,l)}`}
              aria-sort=${l?u:void 0}>
              ${a===0&&o&&c`
                <input type="checkbox" aria-label="Choose all rows"
                  checked=${r.length>0&&o.ids.size===r.length}
                  onChange=${h=>o.onAll(h.target.checked)} />
              `}
              ${i.of===void 0?i.title:c`
                <button type="button" class="sort" onClick=${()=>n(vt(i,t))}>
                  ${i.title}
                  <span aria-hidden="true">${l?t.isRising?"\u2191":"\u2193":""}</span>
                </button>
              `}
            </th>
          `})}
        ${s&&c`
          <th class="act" role="columnheader"><span class="only-read">Actions</span></th>
        `}
      </tr>
    </thead>
  `}function kt(e){let{id:t,row:n,columns:o,order:r,index:s,isCurrent:i,marks:a,hrefOf:l,actionsOf:u,onMenu:h}=e,f=l?.(n),d=p=>{let g=p.target.closest("a, button, input")||String(getSelection())!=="";f!==void 0&&!g&&(location.hash=f)},m=u?.(n)??[];return c`
    <tr role="row" data-row=${t} class=${e.classOf?.(n)} onClick=${d}
      aria-rowindex=${s===void 0?void 0:s+2}
      data-current=${i||void 0} data-link=${f!==void 0||void 0}>
      ${o.map((p,g)=>g===0?c`
            <th key=${p.id} scope="row" role="rowheader" data-m=${p.card??"a"}
              class=${`k ${B(p,!0)}`}>
              ${a&&c`
                <input type="checkbox" aria-label=${`Choose ${p.of(n)}`}
                  checked=${a.ids.has(t)} onChange=${()=>a.onToggle(t)} />
              `}
              <${St} column=${p} row=${n} href=${f}
                isOpen=${t===e.current} />
            </th>
          `:c`
            <td key=${p.id} role="cell" data-m=${p.card} data-l=${p.mark}
              class=${B(p,p.id===r.id)}>${Lt(p,n)}</td>
          `)}
      ${u&&c`
        <td class="act" role="cell">
          ${m.length>0&&c`
            <button type="button" class="icon quiet small" aria-haspopup="menu"
              aria-expanded=${String(e.openId===t)}
              aria-label=${`Actions: ${o[0].of(n)}`}
              onClick=${p=>h(p.currentTarget)}><${ie} name="more" /></button>
          `}
        </td>
      `}
    </tr>
  `}function St({column:e,row:t,href:n,isOpen:o}){let r=e.cell?.(t)??c`<${de} text=${String(e.of(t))} />`;return n===void 0?r:c`<a href=${n} aria-current=${o?"true":void 0}>${r}</a>`}function Lt({cell:e,of:t,text:n=String},o){if(e!==void 0)return e(o)??"\u2013";let r=t(o);return ae(r)?"\u2013":n(r,o)}function Tt({columns:e,hasActions:t}){return c`
    <tfoot role="rowgroup">
      <tr role="row" class="sum">
        ${e.map((n,o)=>o===0?c`<th key=${n.id} scope="row" role="rowheader" class="k" data-m="a">${n.foot}</th>`:c`
              <td key=${n.id} role="cell" data-m=${n.card} data-l=${n.mark}
                class=${B(n,!1)}>${n.foot}</td>
            `)}
        ${t&&c`<td class="act" role="cell"></td>`}
      </tr>
    </tfoot>
  `}function Ot({columns:e,order:t,onOrder:n}){let o=y(null),r=`${t.id} ${t.isRising?"up":"down"}`;C(()=>void(o.current.value=r),[r,e]);let s=e.filter(({of:a})=>a!==void 0).flatMap(({id:a,title:l})=>[[`${a} down`,`${l} \u2193`],[`${a} up`,`${l} \u2191`]]);return c`
    <label class="phone-sort">Sorted by
      <select ref=${o} onChange=${({target:a})=>{let[l,u]=a.value.split(" ");n({id:l,isRising:u==="up"})}}>
        ${s.map(([a,l])=>c`<option key=${a} value=${a}>${l}</option>`)}
      </select>
    </label>
  `}var Et=.05,Rt=.5,Z=new Map([["failing",v.get("failing")],["degraded",v.get("degraded")],["limited",{tone:"warn",text:"Keys suspended"}],["slow",v.get("slow")],["silent",v.get("silent")],["ok",v.get("ok")],["unused",v.get("unused")]]),K=[...Z.keys()];function Ct({breaker:e,health:t,keys:n,resting_keys:o}){if(e==="open"||n>0&&o>=n)return"failing";let r=t?.state??"unused",s=K.indexOf(r)<K.indexOf("limited");return o>0&&!s?"limited":r}function De(e){return e.map(t=>({...t,state:Ct(t)})).toSorted((t,n)=>K.indexOf(t.state)-K.indexOf(n.state))}function Vn({providers:e}){let t=De(e.filter(({enabled:r})=>r)),o=[...Map.groupBy(t,({state:r})=>r)].filter(([r])=>r==="limited"||T(r)).map(([r,{length:s}])=>`${k(s)} ${Z.get(r).text.toLowerCase()}`);return o.length>0?`Providers: ${o.join(", ")}`:t.length===0?"No provider is enabled":t.length===1?"1 provider, no problem":`${k(t.length)} providers, no problem`}function Zn({providers:e,models:t=[]},n){return De(e.filter(({enabled:o})=>o)).filter(({state:o})=>o==="limited"||T(o)).map(o=>{let r=t.filter(({provider:i})=>i===o.id),{tone:s}=Z.get(o.state);return{id:o.id,tone:s,text:_t(o,r,n)}})}function _t({health:e,keys:t,resting_keys:n},o,r){let s=o.filter(({breaker:a})=>a==="open").map(({id:a})=>a);return[e?.since&&T(e.state)&&`${v.get(e.state).text.toLowerCase()} since ${J(e.since,r)}`,e&&T(e.state)&&P(e,r),e&&I(e),s.length>0&&`${s.join(", ")}: breaker open`,n>0&&`${n} of ${t} keys suspended`].filter(a=>a).join("; ")}function Qn({error:e,status:t,cause:n}){let o=e===String(t)?e:`${e} (${t})`;return n?`${o}: ${n}`:o}function eo(e){let t=e.filter(s=>s!==null),n=t.reduce((s,[i])=>s+i,0),o=t.reduce((s,[,i])=>s+i,0);if(n===0)return"No attempts in 24 hours";let r=t.reduce((s,[i,a])=>Math.max(s,a/i),0);return`24 hours: ${k(o)} of ${k(n)} attempts failed`+(o>0?`; ${pe(r,1)} in the worst hour`:"")}function to(e){if(e===null||e[0]===0)return null;let t=e[1]/e[0];return t>=Rt?"bad":t>=Et?"warn":"good"}var Pe=1e3,At=15e3,Mt=60;function io(e){let[t,n]=$(Be);return b(()=>{n(Be);let o,r=()=>{o=new AbortController,It(e,o.signal,n)},s=()=>{o?.abort(),document.visibilityState==="visible"?r():n(i=>({...i,isLive:!1}))};return document.visibilityState==="visible"&&r(),document.addEventListener("visibilitychange",s),()=>{document.removeEventListener("visibilitychange",s),o?.abort()}},[e]),t}var Be={state:void 0,history:[],isLive:!1,error:void 0};async function It(e,t,n){let o=Pe,r=({name:s,data:i})=>{if(s!=="state"||t.aborted)return;o=Pe;let a=JSON.parse(i);n(({history:l})=>({state:a,history:[...l,a].slice(-Mt),isLive:!0,error:void 0}))};for(;!t.aborted;){let s;try{await me(await re(e,{signal:t}),r)}catch(i){s=i}if(t.aborted||(n(i=>({...i,isLive:!1,error:s})),s?.status===401||s?.status===403||s?.status===404))return;await Nt(o,t),o=Math.min(2*o,At)}}function Nt(e,t){return new Promise(n=>{let o=setTimeout(n,e);t.addEventListener("abort",()=>{clearTimeout(o),n()},{once:!0})})}function Fe(e,t){let[n,o]=[e.split(`
`),t.split(`
`)],r=0;for(;r<n.length&&r<o.length&&n[r]===o[r];)r++;let s=0;for(;s<n.length-r&&s<o.length-r&&n[n.length-1-s]===o[o.length-1-s];)s++;let i=Dt(n.slice(r,n.length-s),o.slice(r,o.length-s));if(i.length===0)return[];let a=[],[l,u]=[r,r];for(let{sign:d,text:m}of i)a.push({sign:d,text:m,line:d==="-"?l+1:u+1}),d!=="+"&&l++,d!=="-"&&u++;let h=o.slice(Math.max(0,r-3),r).map((d,m,{length:p})=>({sign:" ",text:d,line:r-p+m+1})),f=o.slice(u,u+3).map((d,m)=>({sign:" ",text:d,line:u+m+1}));return Pt([...h,...a,...f])}function Dt(e,t){if(e.length*t.length>4e6)return Ke(e,t);let n=t.length+1,o=new Uint32Array((e.length+1)*n);for(let a=e.length-1;a>=0;a--)for(let l=t.length-1;l>=0;l--)o[a*n+l]=e[a]===t[l]?o[(a+1)*n+l+1]+1:Math.max(o[(a+1)*n+l],o[a*n+l+1]);let r=[],[s,i]=[0,0];for(;s<e.length&&i<t.length;)e[s]===t[i]?(r.push({sign:" ",text:e[s]}),s++,i++):o[(s+1)*n+i]>=o[s*n+i+1]?r.push({sign:"-",text:e[s++]}):r.push({sign:"+",text:t[i++]});return[...r,...Ke(e.slice(s),t.slice(i))]}function Ke(e,t){return[...e.map(n=>({sign:"-",text:n})),...t.map(n=>({sign:"+",text:n}))]}function Pt(e){let t=[],n=-1/0;for(let[o,r]of e.entries())e.slice(Math.max(0,o-3),o+3+1).some(({sign:i})=>i!==" ")&&(o!==n+1&&t.push([]),t.at(-1).push(r),n=o);return t}var Bt=new Map([["providers","Provider"],["models","Model"],["aliases","Alias"],["pins","Pin"],["limits","Limit"],["keys","Service key"],["admin_keys","Admin key"],["settings","Setting"]]),Kt={added:"good",removed:"bad",changed:"accent"};function Ue({check:e,onGo:t}){let{problems:n,more_problems:o}=e;return n.length===0?c`<p class="row"><span class="badge good">valid</span> No problems</p>`:c`
    <ol class="config-problems">
      ${n.map((r,s)=>c`
          <li key=${s}>
            ${r.line?c`
                <button type="button" class="link" onClick=${()=>t(r)}>
                  Line ${r.line}, column ${r.column??1}
                </button>
              `:c`<strong>File</strong>`}
            <span class="wrap-anywhere">
              ${r.path&&c`<code>${r.path}</code>${": "}`}${r.message}
            </span>
          </li>
        `)}
    </ol>
    ${o>0&&c`<p class="hint">${k(o)} more problems</p>`}
  `}function He({check:e}){let{changes:t,more_changes:n}=e;return t.length===0?c`<p class="soft">It changes nothing that is in use.</p>`:c`
    <${ve} label="Changes to the configuration in use" class="config-changes">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">Name</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        ${t.map(({section:o,name:r,change:s,before:i,after:a})=>c`
            <tr key=${`${o} ${r}`}>
              <td>${Bt.get(o)??o}</td>
              <th scope="row" class="mono wrap-anywhere">${r}</th>
              <td>
                <span class=${`badge ${Kt[s]}`}>${s}</span>
                ${i!==void 0&&c`<del class="mono wrap-anywhere">${i}</del>`}
                ${a!==void 0&&c`<ins class="mono wrap-anywhere">${a}</ins>`}
              </td>
            </tr>
          `)}
      </tbody>
      <//>
    ${n>0&&c`<p class="hint">${k(n)} more changes</p>`}
  `}function Q({before:e,after:t,label:n}){let o=Fe(e,t);return o.length===0?c`<p class="soft">The texts are the same.</p>`:c`
    <div class="line-diff" role="group" aria-label=${n} tabindex="0">
      ${o.map((r,s)=>c`
          <div key=${s} class="line-group">
            ${r.map(({sign:i,text:a,line:l},u)=>c`
                <div key=${u} class=${Ft[i]}>
                  <span class="faint">${l}</span>
                  <span class="only-read">${Ut[i]}</span>
                  <code>${`${i} ${a}`}</code>
                </div>
              `)}
          </div>
        `)}
    </div>
  `}var Ft={"+":"added","-":"removed"," ":""},Ut={"+":"added","-":"removed"," ":""};function vo({config:e,base:t,text:n,onSaved:o,onReload:r,onClose:s}){let{data:i,error:a}=Y(x=>_("/v1/admin/config/check",{body:{text:n},signal:x}),[n]),[l,u]=$({}),[h,f]=$(""),d=fe("reason"),{isBusy:m,error:p}=l,g=p?.code==="config_changed",w=e.editable&&!m&&!g&&i?.valid&&n!==t;return c`
    <${M} title="Review the changes" onClose=${s} class="wide">
      <form class="stack wide" onSubmit=${async x=>{if(x.preventDefault(),!!w){u({isBusy:!0});try{let E={text:n,hash:e.hash,...h.trim()!==""&&{reason:h}};o(await _("/v1/admin/config",{body:E}))}catch(E){u({error:E})}}}}>
        <${D} error=${a} title="Not checked" />
        ${!i&&!a&&c`<${q} text="Checking" />`}
        ${i&&!i.valid&&c`<${Ue} check=${i} onGo=${s} />`}
        ${i?.valid&&c`
          <section class="stack">
            <h3>Changes to the configuration in use</h3>
            <${He} check=${i} />
          </section>
        `}
        <section class="stack">
          <h3>Lines of the file</h3>
          <${Q} before=${t} after=${n} label="Lines that differ" />
        </section>
        ${e.editable&&c`
          <div class="field">
            <label for=${d}>Why</label>
            <input
              id=${d}
              value=${h}
              maxlength="200"
              autocomplete="off"
              aria-describedby=${`${d}-hint`}
              onInput=${({target:x})=>f(x.value)}
            />
            <span class="hint" id=${`${d}-hint`}>
              Optional. The history shows it with the name of your key.
            </span>
          </div>
        `}
        <${D} error=${p} title="Not saved" />
        ${!e.editable&&c`<p class="hint">${e.read_only_reason}</p>`}
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          ${g&&c`
            <button type="button" onClick=${r}>Compare with the file as it is now</button>
          `}
          ${e.editable&&c`
            <button type="submit" class="primary" disabled=${!w}>Save and load</button>
          `}
        </div>
      </form>
      <//>
  `}function xo({version:e,base:t,onUse:n,onClose:o}){let r=`/v1/admin/config/versions/${encodeURIComponent(e.id)}`,{data:s,error:i}=Y(a=>_(r,{signal:a}),[r]);return c`
    <${M} title=${`Until ${Ee(e.replaced_at)}`} onClose=${o} class="wide">
      <div class="stack">
        <p class="soft wrap-anywhere">
          It was replaced by ${e.by}${e.reason&&`: \u201C${e.reason}\u201D`}. What it would
          change in the file:
        </p>
        <${D} error=${i} title="The text cannot be shown" />
        ${!s&&!i&&c`<${q} />`}
        ${s&&c`
          <${Q} before=${t} after=${s.text} label="Lines that differ" />
        `}
        <div class="row end">
          <button type="button" onClick=${o}>Cancel</button>
          <button type="button" class="primary" disabled=${!s} onClick=${()=>n(s.text)}>
            Put it into the editor
          </button>
        </div>
      </div>
      <//>
  `}var Ht=new Map([["closed",{tone:"good",text:"Closed",title:"Requests are sent"}],["open",{tone:"bad",text:"Open",title:"Too many failures: requests use other targets"}],["half_open",{tone:"warn",text:"Half-open",title:"One request tries the provider again"}]]);function Lo({state:e}){let{tone:t,text:n,title:o}=Ht.get(e)??{tone:"",text:e,title:""};return c`<span class=${`badge ${t}`} title=${o}>${n}</span>`}export{Xt as a,ze as b,Gt as c,Ye as d,Y as e,zt as f,Yt as g,en as h,tn as i,nn as j,ve as k,on as l,Ze as m,cn as n,J as o,un as p,N as q,st as r,pn as s,hn as t,mn as u,$n as v,gn as w,bn as x,it as y,vn as z,xn as A,at as B,Le as C,ct as D,kn as E,Sn as F,Ln as G,Rn as H,Ee as I,Cn as J,_n as K,An as L,Xn as M,Z as N,Ct as O,De as P,Vn as Q,Zn as R,Qn as S,eo as T,to as U,io as V,Lo as W,Ue as X,He as Y,vo as Z,xo as _};
