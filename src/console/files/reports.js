import{b as vt,f as tn}from"./shared3.js";import{A as Re,B as Gs,D as ne,E as X,F as Ze,G as Xs,H as Ye,I as B,J as zt,L as es,M as Js,N as Vs,O as Zs,P as Ys,Q as Qs,R as zs,S as gt,V as en,a as G,b as Yt,c as _e,d as js,e as L,f as U,g as dt,h as se,i as ft,j as D,k as Ae,l as pt,m as Xe,n as Hs,o as he,p as Ks,q as Je,r as ae,s as Ws,t as Ve,u as $t,v as Se,w as M,x as mt,y as Qt,z as ht}from"./shared2.js";import{$ as Ds,A as Zt,D as C,E as ee,F as Rs,G as te,H as K,I as $e,J as ie,K as A,L as Es,M as $,N as E,O as x,P as w,Q as Ls,R as q,S as Ke,T as Ns,W as Is,Y as We,_ as Ps,a as ke,aa as Fs,c as k,d as H,e as qs,ea as j,f as F,g as W,ha as Ce,i as a,ia as Us,j as P,ja as Z,ka as me,la as Y,pa as Bs,qa as qe,ra as Ge,sa as xe,ta as ct,u as Ms,v as T,wa as Me,y as pe,z as As}from"./shared1.js";var hn={};ke(hn,{default:()=>mn});function sn(e){let t=new Map;for(let s of e)for(let[n,o,r]of s){let[i,u]=t.get(n)??[0,0];t.set(n,[i+o,u+r])}return t}function nn({from:e,to:t},s,n){let o=Math.floor(s/n),r=o-288+1,i=Math.max(r,Math.floor(e/n)),u=Math.min(o,Math.ceil(t/n)-1);if(u<i)return{first:r,count:288,cellMs:n,isDay:!0,isNow:!0};let l=u-i+1;return{first:i,count:l,cellMs:n,isDay:l>=276,isNow:u===o}}function on(e,{cellMs:t,count:s,first:n}){return new Map([...e].filter(([o])=>{let r=o/t-n;return r>=0&&r<s}))}function ts(e,{cellMs:t,count:s,first:n},o=1){let r=[],i=[];for(let u=0;u<s;u++){let[l,d]=e.get((n+u)*t)??[0,0];if(l===0&&i.push(`M${u} 95h1v5h-1z`),d===0)continue;let c=Math.min(1,d/l/o),f=Math.round(Math.max(12,100*c));r.push(`M${u} ${100-f}h.8v${f}h-.8z`)}return{failed:r.join(""),quiet:i.join("")}}function rn(e){let t=0;for(let[s,n]of e.values())t=Math.max(t,s===0?0:n/s);return[.02,.04,.1,.2,.5].find(s=>t<=s)??1}function ss(e,{cellMs:t,count:s,first:n}){let o=(e/t-n)/s;return o<0||o>1?void 0:100*o}var ui=[5,15,30,60,180,360];function an({cellMs:e,count:t,first:s}){let[n,o]=[s*e,(s+t)*e],r=6e4*(ui.find(u=>(o-n)/(u*6e4)<=5)??360),i=[];for(let u=Math.ceil(n/r)*r;u<=o;u+=r)i.push(u);return i}var li=6,ci=36e5;function cn({health:e,period:t,rangeName:s}){let{cell_ms:n,changes:o,reading:r,since:i,targets:u}=e,l=Date.parse(e.at),d=nn(t,l,n),c=h=>on(sn(h.map(({cells:v})=>v)),d),f=c(u),p=d.isDay?"the last 24 hours":s,m=rn(f),g=Date.parse(i);return a`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, ${p}</h2>
        <span class="faint small">
          5 min a cell, this process${$i(g,l,r)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key breakers">breakers</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${un}
          class="tall"
          label=${`All targets: ${ln(f,p)}`}
          paths=${ts(f,d,m)}
          count=${d.count}
          top=${m}
        >
          ${o.map(({kind:h,text:v,time:b},S)=>a`
              <${fi} key=${S} kind=${h} text=${`${v} at ${he(b,l)}`}
                at=${ss(Date.parse(b),d)} />
            `)}
        <//>
        <div class="strip-end"></div>
        ${di(u).map(({name:h,own:v,worst:b})=>{let S=c(v),y=dn(v.map(_=>_.recent));return a`
            <div class="strip-name" key=${h}>
              <a class="clip" href="#/status" title=${h}>${h}</a>
              <${Me} state=${b.state} isShort=${!0} />
            </div>
            <${un} key=${`${h} strip`} label=${`${h}: ${ln(S,p)}`}
              paths=${ts(S,d)} count=${d.count} />
            <div class="strip-end small" key=${`${h} now`}>${y.attempts===0?"no traffic":`${q(y.failures,y.attempts)} now`}</div>
          `})}
        <div class="strip-name"></div>
        <${pi} window=${d} end=${l} />
        <div class="strip-end"></div>
      </div>
    </section>
  `}function di(e){return[...new Set(Xe(e).map(({provider:s})=>s))].slice(0,li).map(s=>{let n=e.filter(({provider:o})=>o===s);return{name:s,own:n,worst:Xe(n)[0]}})}function un({children:e,class:t="",count:s,label:n,paths:{failed:o,quiet:r},top:i}){return a`
    <div class=${`strip ${t}`} role="img" aria-label=${n}>
      ${i!==void 0&&a`<span class="strip-top">${q(i,1)}</span>`}
      <svg viewBox=${`0 0 ${s} 100`} preserveAspectRatio="none" aria-hidden="true">
        <path class="quiet" d=${r} />
        <path d=${o} />
      </svg>
      ${e}
    </div>
  `}function fi({kind:e,text:t,at:s}){return s===void 0?null:a`
    <span class=${`strip-mark ${e}`} style=${{left:`${s}%`}} title=${t}>
      <span class="only-read">${t}</span>
    </span>
  `}function pi({window:e,end:t}){return a`
    <div class="strip-axis small faint" aria-hidden="true">
      ${an(e).map(s=>{let n=ss(s,e);return n!==void 0&&n>3&&n<88&&a`
          <span key=${s} style=${{left:`${n}%`}}>${he(new Date(s).toISOString(),t).slice(-5)}</span>
        `})}
      ${e.isNow&&a`<span class="now">now</span>`}
    </div>
  `}function $i(e,t,s){return s?"; the ledger is still being read":t-e<23*ci?`, begins at ${he(new Date(e).toISOString(),t)}`:", from the ledger"}function ln(e,t){let{attempts:s,failures:n}=dn([...e.values()].map(([o,r])=>({attempts:o,failures:r})));return`${n} of ${s} attempts failed, ${t}`}function dn(e){return e.reduce((t,{attempts:s,failures:n})=>({attempts:t.attempts+s,failures:t.failures+n}),{attempts:0,failures:0})}var mi=5e3,hi=6e4,pn=6e5,$n=5;function mn({route:e}){let{hasAdmin:t}=G();return t?a`<${gi} choice=${qe(e.query,"24h")} />`:a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${ft} what="The overview covers all keys: it needs an admin key." />
      </div>
    `}function fn(e,t,s=[]){let n=L(e,s);return _e(n.reload,t),n}function gi({choice:e}){let{data:t,error:s}=fn(m=>T("/v1/admin/health",{signal:m}),mi),n=j(),{range:o,from:r,to:i}=e,u=[o,r,i,n],{data:l}=fn(async m=>({...await bi(xe(e,P(),n),m),name:u.join()}),hi,u),d=l?.name===u.join()?l:void 0;if(t===void 0)return a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${s?a`<${C} error=${s} title="No health" />`:a`<${A} text="Loading the health of targets" />`}
      </div>
    `;let{text:c,title:f}=Hs(t),p=vi(ct(e,n));return a`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${f}</h1>
        <p class="soft">${c}</p>
      </header>
      <${yi} ...${{choice:e,health:t,figures:d,rangeName:p}} />
      <${cn}
        ...${{health:t,rangeName:p}}
        period=${xe(e,Date.parse(t.at),n)}
      />
      <div class="two">
        <${wi} health=${t} />
        <${xi} ...${{choice:e,figures:d,rangeName:p}} />
      </div>
    </div>
  `}function vi(e){return e.startsWith("Last ")?`the l${e.slice(1)}`:e.replace("This","this")}async function bi({from:e,to:t,isOpen:s},n){let o=new Date(P()-pn).toISOString(),r={from:new Date(e).toISOString(),...!s&&{to:new Date(t).toISOString()}},i=c=>T(`/v1/admin/usage?${new URLSearchParams({...r,...c})}`,{signal:n}),[u,l,d]=await Promise.all([T(`/v1/admin/request_counts?${new URLSearchParams({from:o})}`,{signal:n}),i({group_by:"key,model",limit:"1000"}),i({})]);return{counts:u.data,keys:l.data,total:d.data[0]}}function yi({choice:e,health:t,figures:s,rangeName:n}){let o=new URLSearchParams({sort:"cost_usd"});Ge(o,e);let r=s?.counts.reduce((l,{requests:d,errors:c})=>({requests:l.requests+d,errors:l.errors+c}),{requests:0,errors:0}),i=t.targets.filter(({recent:l})=>l.attempts>0).toSorted((l,d)=>d.recent.attempts-l.recent.attempts)[0],u=r!==void 0&&r.requests>0&&r.errors/r.requests>=.05;return a`
    <dl class="overview-figures">
      <${bt}
        label="Requests per minute"
        value=${r&&Ke(r.requests/(pn/6e4))}
        note="mean of the last 10 min"
      />
      <${bt}
        label="Failed requests, last 10 min"
        value=${r&&q(r.errors,r.requests)}
        note=${r&&`${$(r.errors)} of ${$(r.requests)}`}
        isBad=${u}
        href="#/requests?range=15m&status=error"
      />
      <${bt}
        label="Time to first content"
        value=${i?.first_content_ms==null?"\u2013":x(i.first_content_ms)}
        note=${i?.first_content_ms==null?"no answer in the last 10 min":`${i.provider}, usually ${x(i.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${bt}
        label=${`Spent, ${n}`}
        value=${s&&w(s.total?.cost_usd??0)}
        note=${s&&`${$(s.total?.requests??0)} requests, ${j()}`}
        href=${`#/requests?${o}`}
      />
    </dl>
  `}function bt({label:e,value:t="\u2026",note:s,isBad:n,href:o}){return a`
    <div>
      <dt>${e}</dt>
      <dd class=${`figure-big${n?" bad":""}`}>
        ${o===void 0?t:a`<a href=${o}>${t}</a>`}
      </dd>
      <dd class="faint small">${s??""}</dd>
    </div>
  `}function wi({health:e}){let t=Date.parse(e.at),s=Xe(e.targets);return a`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${Fs(e.thresholds)}>
          by the last 10 min
        </span>
        <a class="small" href="#/status">Providers</a>
      </div>
      ${s.length===0?a`<p class="soft">Nothing: no target is failing, degraded, slow or silent.</p>`:a`
          <table class="plain cards" role="table" aria-labelledby="fails-title">
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">Target</th>
                <th scope="col" role="columnheader">State</th>
                <th scope="col" role="columnheader">Since</th>
                <th scope="col" role="columnheader">Evidence</th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              ${s.slice(0,$n).map(n=>{let{last_failure:o,provider:r,since:i,state:u,upstream:l}=n;return a`
                  <tr role="row" key=${`${r} ${l}`}>
                    <th scope="row" role="rowheader" title=${`${r} ${l}`}>
                      <span class="clip">${r}</span>
                      <span class="clip faint small">${l}</span>
                    </th>
                    <td role="cell">
                      <${Me} state=${u} />
                    </td>
                    <td role="cell" title=${i}>${i===null?"\u2013":he(i,t)}</td>
                    <td role="cell" class="evidence">
                      ${o===null?We(n,t):a`
                        <a
                          href=${ki(o)}
                          title=${o.vendor_text??"The last request that failed"}
                        >${We(n,t)}</a>
                      `}
                    </td>
                  </tr>
                `})}
            </tbody>
          </table>
        `}
    </section>
  `}function ki({request:e,request_time:t}){return`#/requests/${encodeURIComponent(e)}?time=${encodeURIComponent(t)}`}function xi({choice:e,figures:t,rangeName:s}){let n=_i(t?.keys??[]),o=t?.total?.cost_usd??0,r=new URLSearchParams({by:"key",show:"cost"});return Ge(r,e),a`
    <section class="stack" aria-labelledby="cost-title">
      <div class="section-head">
        <h2 id="cost-title">What is expensive</h2>
        <span class="faint small">${s}</span>
        <a class="small" href="#/usage?range=last-month&by=team">Last month by team</a>
        <a class="small" href=${`#/usage?${r}`}>Usage</a>
      </div>
      ${n.length===0?a`<p class="soft">${t?"Nothing has been spent.":"\u2026"}</p>`:a`
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Model</th>
                <th scope="col" class="number">Cost</th>
                <th scope="col" class="number">Share</th>
              </tr>
            </thead>
            <tbody>
              ${n.map(({cost:i,key:u,model:l})=>a`
                  <tr key=${u}>
                    <th scope="row"><span class="clip" title=${u}>${u}</span></th>
                    <td><span class="clip soft" title=${l}>${l}</span></td>
                    <td class="number" title=${`$${i}`}>${Ls(i,n[0].cost)}</td>
                    <td class="number">${q(i,o)}</td>
                  </tr>
                `)}
            </tbody>
          </table>
        `}
    </section>
  `}function _i(e){let t=new Map;for(let{cost_usd:s,key:n,model:o}of e){if(!(s>0))continue;let r=t.get(n)??{key:n??"\u2013",cost:0,most:0,model:""};r.cost+=s,s>r.most&&Object.assign(r,{most:s,model:o??"\u2013"}),t.set(n,r)}return[...t.values()].toSorted((s,n)=>n.cost-s.cost).slice(0,$n)}var oo={};ke(oo,{default:()=>no});function gn(e){return e.map((t,s)=>s===0?t:t.slice(t.indexOf(`
`)+1)).join("")}function yt(e,t){Ks(e,t,"text/csv")}var Si=30*864e5,Oi=1e3;function wt(e){let[t,s]=k({}),n=F(new Set);return{load:async r=>{if(n.current.has(r))return;n.current.add(r);let u={from:new Date(Date.now()-Si).toISOString(),group_by:r,limit:String(Oi)};try{let{data:l}=await T(U(e,"usage",u)),d=l.flatMap(c=>c[r]??[]);s(c=>({...c,[r]:d}))}catch{n.current.delete(r)}},of:r=>t[r]??[]}}var Ti=200;function kt(e){let{label:t,words:s,current:n,placeholder:o,onAdd:r,onRemove:i,clear:u}=e,{session:l,completed:d,offered:c,shownOf:f}=e,p=wt(l),m=O=>[...new Set([...f?.(O)??[],...p.of(O)])],[g,h]=k(""),[v,b]=k(""),S=F(null);H(()=>{h(""),b("")},[n]);let y=O=>{O.preventDefault();let I=r(g,m)??"";b(I),I===""&&h("")},_=O=>{let I=s.at(-1);O.key==="Backspace"&&g===""&&I!==void 0?i(I.filter):O.key==="Escape"&&S.current.blur()};return a`
    <form class="filter-bar" role="search" aria-label=${t} onSubmit=${y}>
      <div class="filter-line">
        <${pe} name="search" />
        ${s.map(O=>a`<${Ci} key=${O.filter} word=${O} onRemove=${()=>i(O.filter)} />`)}
        <input
          ref=${S}
          aria-label="Add a filter"
          aria-keyshortcuts="Alt+Shift+F"
          aria-invalid=${v!==""?"true":void 0}
          aria-describedby="filter-fault"
          autocomplete="off"
          spellcheck=${!1}
          placeholder=${o}
          list="filter-words"
          value=${g}
          onInput=${({target:{value:O}})=>{h(O);let{filter:I}=vn(O);d.includes(I)&&p.load(I)}}
          onKeyDown=${_}
        />
        <datalist id="filter-words">
          ${qi(g,d,c,m).map(O=>a`<option key=${O} value=${O} />`)}
        </datalist>
        ${u!==void 0&&a`<a class="button quiet" href=${u}>Clear</a>`}
      </div>
      <p class="fault" id="filter-fault" role="status">${v}</p>
      ${e.children}
    </form>
  `}function Ci({word:{name:e,sign:t,value:s},onRemove:n}){let o=`${e}${t}${s}`;return a`
    <span class="chip">
      <span title=${o}>${e}<i>${t}</i><b>${s}</b></span>
      <button type="button" aria-label=${`Remove ${o}`} onClick=${n}>
        <${pe} name="close" size=${10} />
      </button>
    </span>
  `}function qi(e,t,s,n){let{filter:o,part:r}=vn(e);if(t.includes(o)){let d=e.slice(0,e.length-r.length);return n(o).filter(c=>c.includes(r)).sort().slice(0,Ti).map(c=>d+(/\s/.test(c)?`"${c}"`:c))}let[,i,u]=/^(.*?)(\S*)$/s.exec(e),l=t.map(d=>`${d==="end_user"?"user":d}:`);return[...s,...l].filter(d=>d.startsWith(u)).map(d=>i+d)}function vn(e){let[,t="",s=""]=/(?:^|\s)([a-z_]+):(\S*)$/.exec(e)??[];return{filter:t==="user"?"end_user":t,part:s}}var ge=new Map([["fallback","Fallback"],["retry","Retry"],["hedge","Hedge"],["cache","Cache"],["queued","Queued"],["sticky","Sticky"]]),Mi=new Map([["status","status"],["key","key"],["model","model"],["provider","provider"],["tag","tag"],["user","end_user"],["end_user","end_user"],["session","session"],["path","path"],["id","id"]]),Ai=new Map([["cost","min_cost_usd"],["ms","min_ms"],["duration","min_ms"]]),Ri=new Set(["key","model","provider","tag","end_user"]),Ei=/^\d{1,15}(\.\d{1,9})?$/,Li=new Map([["ms",1],["s",1e3],["min",6e4],["m",6e4],["h",36e5]]);function Ni(e,t="ms"){let[,s,n=t]=/^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(e.trim())??[];if(s!==void 0)return String(Math.round(Number(s)*Li.get(n.toLowerCase())))}function bn(e,t,s){let n={...t};for(let[o]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let r=Ii(n,o.replaceAll('"',""),s);if(r!==void 0)return{fault:r}}return{filters:n}}function Ii(e,t,s){let n=/^([a-z_]+)>=?(.*)$/i.exec(t);if(n!==null)return Pi(e,n[1].toLowerCase(),n[2]);let[,o="",r=""]=/^([a-z_]+):(.*)$/i.exec(t)??[],i=Mi.get(o.toLowerCase());if(i===void 0&&/^failed$/i.test(t))e.status="error";else if(i===void 0)e.id=t;else{if(r==="")return`'${o}:' needs a value`;if(i==="status")return Di(e,r.toLowerCase());if(i==="path")return Fi(e,r.toLowerCase());e[i]=Ri.has(i)?Ui(r,s(i)):r}}function Pi(e,t,s){let n=Ai.get(t);if(n===void 0)return`'${t}' has no amount: use cost>0.3 or ms>5000`;if(n==="min_cost_usd"){let r=s.replace(/^\$/,"");if(!Ei.test(r))return"A cost is a number: cost>0.25";e.min_cost_usd=r;return}let o=Ni(s,t==="ms"?"ms":"s");if(o===void 0)return"A duration is a number: ms>1500 or duration>1.5s";e.min_ms=o}function Di(e,t){let s=t==="failed"?"error":t;if(!/^(ok|error|[1-5]\d\d)$/.test(s))return"A status is ok, error, or a number: status:429";e.status=s}function Fi(e,t){if(!ge.has(t))return`A path is ${[...ge.keys()].join(", ")}`;e.path=t}function Ui(e,t){return e.includes("*")||t.includes(e)?e:/[:=]$/.test(e)?`${e}*`:`*${e}*`}function yn(e){return Je.filter(t=>e[t]!=="").map(t=>{let s=e[t];return t==="min_ms"?{filter:t,name:"ms",sign:">",value:s}:t==="min_cost_usd"?{filter:t,name:"cost",sign:">",value:s}:{filter:t,name:t==="end_user"?"user":t,sign:":",value:s}})}var Bi=["key","model","provider","tag","end_user"],ji=["status:error","status:ok","status:429","cost>","ms>","session:"];function wn({filters:e,rows:t=[],session:s,opened:n,time:o}){let r=l=>location.hash=M(l,n,o),i=(l,d)=>{let c=bn(l,e,d);return c.fault===void 0&&r(c.filters),c.fault},u=M({...Se(e),sort:e.sort,order:e.order},n,o);return a`
    <${kt}
      label="Filter the requests"
      words=${yn(e)}
      current=${M(e,n,o)}
      placeholder="Add a filter: status:error, model:, tag:team:, cost>0.3, ms>5000, an ID"
      session=${s}
      completed=${Bi.filter(l=>l!=="key"||s.hasAdmin)}
      offered=${ji}
      shownOf=${l=>t.flatMap(d=>l==="tag"?d.tags:d[l]??[])}
      onAdd=${i}
      onRemove=${l=>r({...e,[l]:""})}
      clear=${Ve(e)?u:void 0}
    >
      <${Hi} filters=${e} onChange=${r} />
      <//>
  `}function Hi({filters:e,onChange:t}){let s=[["status","error","Failed"],...[...ge].map(([n,o])=>["path",n,o])];return a`
    <div class="quick" role="group" aria-label="Usual filters">
      ${s.map(([n,o,r])=>{let i=e[n]===o;return a`
          <button type="button" key=${o} aria-pressed=${String(i)}
            onClick=${()=>t({...e,[n]:i?"":o})}>
            ${o==="error"&&a`<span class="st failed only" aria-hidden="true"></span>`}
            ${r}
          </button>
        `})}
    </div>
  `}var kn="abandoned";function ns({error:e,status:t}){return e!==kn&&((e??null)!==null||t>=400)}function Ki({attempts:e=[]}){return e.findLast(t=>t.error===null&&t.status<400)}function xn(e){let{attempts:t=[],error:s,queued_ms:n,response_cache:o,status:r}=e,i=n>0?`Waited ${x(n)} in the queue. `:"";if(o==="hit"&&t.length===0){let u=e.saved_usd>0?`, which saved ${w(e.saved_usd)}`:"";return`${i}Answered by the cache${u}.`}return r===499?`${i}The client stopped after ${x(e.ms)}.`:s!==null?i+Wi(e):i+Gi(e)}function Wi({attempts:e=[],error:t,status:s}){let n=`the client got ${s} ${t}`;if(e.length===0)return`No provider was tried: ${n}.`;let o=[...new Set(e.map(({provider:r})=>r))];return e.length===1?`${o[0]} failed with ${e[0].error??t}: ${n}.`:o.length===1?`All ${e.length} attempts at ${o[0]} failed: ${n}.`:`All ${e.length} attempts failed, at ${_n(o)}: ${n}.`}function Gi(e){let{attempts:t=[]}=e,s=Ki(e),n=s?.provider??e.provider??"The target",o=e.first_token_ms??e.ms;if(e.hedged&&s!==void 0){let l=t.find(d=>d!==s&&!ns(d))?.provider??"the first target";return s.hedge?`${l} was slow; the hedge at ${n} won after ${x(o)}.`:`${n} answered after ${x(o)}; the hedge at ${l} was not used.`}let r=t.filter(ns);if(r.length===0)return`Answered by ${n} after ${x(o)}.`;let i=[...new Set(r.map(u=>u.provider))];return i.every(u=>u===n)?`${n} answered after ${x(o)}, at attempt ${t.length}.`:`${_n(i)} failed (${r[0].error??r[0].status}); ${n} answered after ${x(o)}.`}function _n(e){return e.length===1?e[0]:`${e.slice(0,-1).join(", ")} and ${e.at(-1)}`}function Sn(e){let{attempts:t=[],first_token_ms:s,ms:n,queued_ms:o}=e,r=t.map(i=>({kind:i.hedge?"hedge":"attempt",tone:i.error===kn?"unused":ns(i)?"bad":"good",start:i.started_ms,length:i.ms,attempt:i})).toSorted((i,u)=>i.start-u.start);return o>0&&r.unshift({kind:"queue",tone:"wait",start:0,length:o}),s!=null&&n>s&&r.push({kind:"stream",tone:"stream",start:s,length:n-s}),r}var Xi=1e6,Ji=1e-9;function On(e){let{prices:t}=e;if(t==null)return[];let s=e.cached_input_tokens??0,n=e.cache_write_tokens??0,o=e.reasoning_tokens??0,r=(l,d,c)=>({name:l,amount:d,price:c,usd:d*c/Xi}),i=[r("Input",(e.input_tokens??0)-s-n,t.input),r("Input, cached",s,t.cachedInput??t.input),r("Input, written to the cache",n,t.cacheWrite??t.input),r("Output",(e.output_tokens??0)-o,t.output),r("Output, reasoning",o,t.output),...ht.filter(({id:l})=>t.units?.[l]!==void 0).map(l=>{let[d,c]=[e[l.id]??0,t.units[l.id]];return{name:l.title,amount:d,price:c,unit:l,usd:d*c}})].filter(({amount:l})=>l>0),u=(e.cost_usd??0)-i.reduce((l,{usd:d})=>l+d,0);return e.cost_usd!=null&&Math.abs(u)>Ji&&i.push({name:"Other attempts and rates",amount:null,price:null,usd:u}),i}function Tn(e){let t=new Map([["hit","stayed at its target"],["moved","moved to another target"],["new","began here"]]);return[["Alias",e.alias],["Why this target",e.route],["Session",t.get(e.affinity)??e.affinity],["Chosen by price",e.price_ordered&&Zi(e.price_order_saved_usd)],["Waited in the queue",e.queued_ms>0&&x(e.queued_ms)],["Response cache",e.response_cache],["Saved",e.saved_usd>0&&w(e.saved_usd)],["Hedge",e.hedged&&`cost ${w(e.hedge_usd??0)}`],["Writing the cache",e.cache_write_usd>0&&w(e.cache_write_usd)],["Service tier",e.prices?.tier],["Prices of long prompts",e.prices?.long&&"yes"]].filter(([,s])=>s)}function Cn({attempts:e=[]}){return e.flatMap(({corrections:t=[],provider:s})=>t.map(({fields:n,sent_as:o})=>[o===null?"Left out":"Sent under another name",o===null?`${n.join(", ")}: ${s} refuses it`:`${n.join(", ")} as ${o} at ${s}`]))}function qn(e,t){if(t===void 0||t.requests<Vi)return[];let s=[{name:"Queue",value:e.queued_ms??0},{name:"First content",value:e.first_token_ms??0,usual:t.first_token_p50_ms},{name:"All",value:e.ms,usual:t.p50_ms,most:t.p95_ms}].filter(({value:r})=>r>0),n=Math.max(...s.flatMap(({value:r,usual:i,most:u})=>[r,i??0,u??0])),o=r=>Math.round(1e3*r/n)/10;return s.map(r=>({...r,at:o(r.value),...r.usual!=null&&{band:[o(r.usual),o(r.most??r.usual)]}}))}var Vi=5;function Mn(e){return e.filter(({usual:t})=>t!=null).map(({most:t,name:s,usual:n,value:o})=>{let r=s==="All"?"The whole request":"The first content",i=s==="All"?"took":"came after",u=o/n,l=t!==void 0&&o>t?"longer than 95 % of the requests":u>=1.1?`${u.toFixed(1)} times the usual ${x(n)}`:`usually ${x(n)}`;return`${r} ${i} ${x(o)}, ${l}.`}).join(" ")}function Zi(e){return e>0?`saved ${w(e)}`:"yes"}function An({cost_usd:e,input_tokens:t,output_tokens:s,usage_source:n}){if(n===void 0||n==="none")return"";let o=e===null?"price unknown":w(e);return`${$(t)} + ${$(s)} tokens, ${o}`}var Ee={rows:void 0,next:null,error:void 0,isLoading:!0,isLoadingMore:!1,isSorting:!1,moreError:void 0};function os({data:e,next:t}){return{...Ee,isLoading:!1,rows:e,next:t}}function rs(e,{data:t,next:s}){let n=[...e.rows,...t];return{...e,isLoadingMore:!1,rows:n,next:s}}function En(e,t){if(e.rows===void 0)return e;let s=new Set(e.rows.map(Qe)),n=t.data.filter(i=>!s.has(Qe(i)));if(n.length===0)return e.moreError?{...e,moreError:void 0}:e;if(n.length===t.data.length&&t.has_more||e.rows.length+n.length>500)return os(t);let r=[...n,...e.rows].sort((i,u)=>i.time<u.time?1:i.time>u.time?-1:0);return{...e,rows:r,moreError:void 0}}function Ln(e,{data:t,next:s},{sort:n,order:o},r){let i=o==="asc"?1:-1,u=(d,c)=>{let[f,p]=[Rn(d,n),Rn(c,n)];return f===p?0:i*(f<p?-1:1)},l=[...e.rows??[],...t].sort(u).slice(0,r);return{...Ee,isLoading:!1,isSorting:s!==null,rows:l}}var Yi=["cache","hedge","fallback","retry","queued","sticky"];function Rn(e,t){if(t==="path")return Yi.indexOf(e.path[0]);let s=e[t];return typeof s=="string"?s.replace(/[A-Z]+/g,n=>n.toLowerCase()):s}function Qe({id:e,time:t}){return`${t} ${e}`}var xt=499;function In({rows:e,filters:t,opened:s,showsKey:n,note:o,onSort:r}){let i={id:t.sort||"time",isRising:t.order==="asc"},u=({id:c,isRising:f})=>r(c==="time"&&!f?{sort:"",order:""}:{sort:c,order:f?"asc":""}),l=W(()=>zi(n),[n,j()]),d=e.find(({id:c})=>c===s);return a`
    <p class=${o===""?"only-read":"hint"} role="status">${o}</p>
    <${B}
      label="Requests"
      columns=${l}
      rows=${e}
      idOf=${Qe}
      hrefOf=${c=>M(t,c.id,c.time)}
      actionsOf=${c=>Qi(c,t)}
      order=${i}
      onOrder=${u}
      current=${d&&Qe(d)}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>location.hash=M(t)}
    />
  `}function Qi(e,t){let s=(n,o)=>e[n]==null?[]:[{text:`All of this ${o}`,href:M({...Se(t),[n]:e[n]})}];return[{text:"Open",href:M(t,e.id,e.time)},{text:"Copy ID",copy:e.id},...s("model","model"),...s("provider","provider"),...s("key","key"),...s("session","session")]}function zi(e){return[{id:"time",title:"Time",card:"c",of:({time:t})=>t,cell:ea},{id:"status",title:"Status",card:"b",of:({status:t})=>t,cell:t=>a`<${ze} row=${t} />`},is("model","Model",{card:"a"}),is("provider","Provider",{panel:"hide"}),...e?[is("key","Key",{panel:"hide"})]:[],{id:"path",title:"Path",panel:"low",isRisingFirst:!0,of:({path:t})=>t[0],cell:ta},{id:"ms",title:"Duration",isNumber:!0,panel:"low",of:({ms:t})=>t,text:x},{id:"first_token_ms",title:"First",hint:"Time to first content",isNumber:!0,panel:"hide",of:t=>t.first_token_ms,text:x},Nn("input_tokens","In"),Nn("output_tokens","Out"),{id:"attempt_count",title:"Attempts",isNumber:!0,panel:"hide",of:t=>t.attempt_count>1?t.attempt_count:void 0},{id:"cost_usd",title:"Cost",isNumber:!0,card:"d",of:t=>t.cost_usd,cell:sa}]}function Nn(e,t){return{id:e,title:t,hint:`${t==="In"?"Input":"Output"} tokens`,isNumber:!0,panel:"hide",of:s=>as(s)?s[e]:void 0,cell:s=>na(s[e],as(s),s.usage_source==="estimated")}}function as({usage_source:e}){return e!=="none"}function ea(e){let t=e.path.map(s=>`, ${s}`).join("");return a`
    <span title=${`${X(e.time)}, ${e.id}`}>${ne(e.time)}</span>
    <span class="phone-only">, ${x(e.ms)}${t}</span>
  `}function is(e,t,s){return{id:e,title:t,isRisingFirst:!0,of:n=>n[e],...s,text:n=>a`<${ie} text=${n} />`}}function ta({path:e}){return e.map(t=>a`<span key=${t} class="badge">${ge.get(t)}</span>`)}function sa(e){return e.cost_usd==null?as(e)?a`<span class="faint">unknown</span>`:"\u2013":a`<span title=${`$${e.cost_usd}`}>${w(e.cost_usd)}</span>`}function ze({row:e,isLong:t=!1}){let{error:s,status:n}=e,o=n!==xt&&(n>=400||s!=null),r=n===xt?"stopped":o?"failed":"ok",i=n===xt?"Stopped by the client":s??void 0;return a`
    <span class=${`st ${r}`} title=${i}>${n}</span>
    ${t&&n===xt&&a`<span class="soft small"> stopped by the client</span>`}
    ${t&&o&&s&&a`<span class="error-code small"> ${s}</span>`}
  `}function na(e,t,s){return t?s?a`<span title="Estimated: the vendor reported no usage">≈ ${$(e)}</span>`:$(e):"\u2013"}var Pn=.8,oa=.1;function Dn({row:e}){let t=Sn(e),s=Math.max(oa,e.ms,...t.map(({start:o,length:r})=>o+r)),n=t.filter(({attempt:o})=>o!==void 0);return a`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${t.map((o,r)=>o.attempt===void 0?a`
              <${us}
                key=${o.kind}
                title=${o.kind==="queue"?"Waited in the queue":"Stream, from the first content"}
                text=${Fn(o)}
                start=${o.start}
                length=${o.length}
                total=${s}
                tone=${o.tone}
              />
            `:a`
              <${ra} key=${r} lane=${o} number=${n.indexOf(o)+1}
                total=${s} />
            `)}
        <${us}
          title="Whole request"
          text=${x(e.ms)}
          start=${0}
          length=${e.ms}
          total=${s}
          tone="whole"
          mark=${e.first_token_ms}
        />
      </ol>
      <div class="scale faint small mono" aria-hidden="true">
        <span>0</span><span>${x(s/2)}</span><span>${x(s)}</span>
      </div>
      ${n.length===0&&e.response_cache!=="hit"&&a`
        <p class="hint">No provider was tried.</p>
      `}
    </section>
  `}function ra({lane:e,number:t,total:s}){let{attempt:n,kind:o,length:r,start:i,tone:u}=e,{provider:l,model:d,status:c,error:f,vendor_text:p}=n,m=An(n);return a`
    <${us}
      title=${a`
        ${t}. <span class="mono wrap-anywhere">${d}</span>
        <span class="soft"> at </span><span class="mono">${l}</span>
        ${o==="hedge"&&a`<span class="soft">, the hedge</span>`}
      `}
      text=${Fn(e)}
      start=${i}
      length=${r}
      total=${s}
      tone=${u}
    >
      <p class="row outcome">
        ${u==="unused"?a`<span class="badge">not used</span>`:a`
          <span class=${`badge ${u}`}>${c??"\u2013"}</span>
          ${f?a`<span class="error-code">${f}</span>`:"answered"}
        `}
        ${ua(n).map(g=>a`<span key=${g} class="soft wrap-anywhere">${g}</span>`)}
        ${m!==""&&a`<span class="faint">${m}</span>`}
      </p>
      ${p&&a`<blockquote class="vendor-words wrap-anywhere">${p}</blockquote>`}
      <//>
  `}function Fn({length:e,start:t}){return t<1?x(e):`${x(e)}, after ${x(t)}`}var ia=new Map([["other_key","then with another key"],["retry","then again"],["resent","then sent again on a new connection"],["next_target","then the next target"],["continued","then continued by another target"]]),aa=new Map([["wait_too_long","not again: the wait is too long"],["deadline","not again: the deadline is too near"],["breaker_open","not again: its breaker is open"]]);function ua({cause:e,corrections:t=[],next:s,reason:n,wait_ms:o}){let r=s==="retry"&&o!==null;return[e,...t.map(({fields:i,sent_as:u})=>u===null?`sent again without ${i.join(", ")}`:`sent again with ${i.join(", ")} as ${u}`),n&&(aa.get(n)??n),o!=null&&!r&&`asked to wait ${x(o)}`,r?`then again after ${x(o)}`:ia.get(s)].filter(i=>i)}function us({title:e,text:t,start:s,length:n,total:o,tone:r,mark:i,children:u}){let l=c=>`${(100*c/o).toFixed(2)}%`,d=Math.max(Pn,100*n/o);return a`
    <li>
      <div class="row spread"><span>${e}</span><span class="soft small">${t}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${r}`}
          style=${{left:l(Math.min(s,o*(1-Pn/100))),width:`${d.toFixed(2)}%`}}
        ></span>
        ${i!=null&&a`<span class="mark" style=${{left:l(i)}}></span>`}
      </div>
      ${u}
    </li>
  `}function jn({id:e,time:t,session:s,filters:n,rows:o=[]}){let r=o.findIndex(f=>f.id===e&&(t===null||f.time===t)),i=t===null?{}:{time:t},u=U(s,`requests/${encodeURIComponent(e)}`,i),{data:l,error:d}=L(f=>T(u,{signal:f}),[u]),c=F(null);return H(()=>c.current.focus(),[]),a`
    <section class="details card" aria-label="Details of the request">
      <header>
        <h2 ref=${c} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${Un} row=${o[r-1]} filters=${n} icon="up" keys="K"
            label="Newer request" />
          <${Un} row=${r<0?void 0:o[r+1]} filters=${n} icon="down"
            keys="J" label="Older request" />
          <a class="button quiet icon close" href=${M(n)} title="Close"
            aria-label="Close the request" aria-keyshortcuts="Alt+Shift+X">
            <${pe} name="close" />
          </a>
        </span>
      </header>
      <div class="stack padded">
        <p class="row id-row">
          <code class="wrap-anywhere">${e}</code>
          <${te} text=${e} label="Copy ID" />
        </p>
        <${C} error=${d} title="The request cannot be shown" />
        ${!l&&!d&&a`<${A} />`}
        ${l&&a`
          <p class="said">${xn(l)}</p>
          <${la} row=${l} filters=${n} />
          <${Dn} row=${l} />
          <${fa} row=${l} session=${s} />
          <${ca} row=${l} />
          <${_t} title="Route" facts=${Tn(l)} />
          <${_t} title="Client" facts=${ma(l,n)} />
          <${_t} title="Corrections" facts=${Cn(l)} />
          <${_t} title="Request" facts=${ha(l,n)} />
          <p class="hint">The receipt of ignored, converted and added parameters is in the headers
            <code>x-sluice-ignored</code>, <code>x-sluice-converted</code> and${" "}
            <code>x-sluice-added</code> of the answer; the ledger does not store it.</p>
          ${s.hasService&&l.model!==null&&$a(l)&&a`
            <p>
              <a class="button" href=${`#/playground?${new URLSearchParams({model:l.model})}`}
                title="Its content is not stored">Open its model in the playground</a>
            </p>
          `}
        `}
      </div>
    </section>
  `}function la({row:e,filters:t}){return e.path.length===0?null:a`
    <p class="row" aria-label="Path">
      ${e.path.map(s=>a`<a key=${s} class="badge" href=${M({...Se(t),path:s})}>${ge.get(s)}</a>`)}
    </p>
  `}function ca({row:e}){let t=On(e);return t.length===0?null:a`
    <section class="stack" aria-labelledby="cost-title">
      <h3 id="cost-title">Cost</h3>
      <${Ae} label="Cost by line" class="cost-lines">
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col" class="number">Amount</th>
            <th scope="col" class="number">Price</th>
            <th scope="col" class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          ${t.map(({amount:s,name:n,price:o,unit:r,usd:i})=>a`
              <tr key=${n}>
                <th scope="row">${n}</th>
                <td class="number">${s===null?"\u2013":(r?.text??$)(s)}</td>
                <td class="number">
                  ${o===null?"\u2013":r===void 0?`${Ns(o)} per M`:Gs(r,o)}
                </td>
                <td class="number" title=${`$${i}`}>${w(i)}</td>
              </tr>
            `)}
          <tr>
            <th scope="row">Total</th>
            <td></td>
            <td></td>
            <td class="number"><strong>${e.cost_usd==null?"unknown":w(e.cost_usd)}</strong></td>
          </tr>
        </tbody>
        <//>
        </section>
  `}function _t({title:e,facts:t}){if(t.length===0)return null;let s=`${e.toLowerCase()}-title`;return a`
    <section class="stack" aria-labelledby=${s}>
      <h3 id=${s}>${e}</h3>
      <${ee} class="request-facts" facts=${t} />
    </section>
  `}var da=864e5;function fa({row:e,session:t}){let s=Date.parse(e.time),[n,o]=[s-da,s].map(l=>new Date(l).toISOString()),r=e.model===null?void 0:U(t,"usage",{from:n,to:o,model:e.model}),{data:i}=L(async l=>r===void 0?void 0:await T(r,{signal:l}),[r]),u=i?qn(e,i.data[0]):[];return u.length===0?null:a`
    <section class="stack" aria-labelledby="usual-title">
      <div class="row spread">
        <h3 id="usual-title">Time against usual</h3>
        <span class="soft small">${e.model}, 24 h</span>
      </div>
      <div class="usual">
        ${u.map(({band:l,name:d,at:c,value:f})=>a`
            <span key=${d}>${d}</span>
            <i aria-hidden="true">
              ${l&&a`<b style=${{left:`${l[0]}%`,width:`${l[1]-l[0]}%`}}></b>`}
              <u style=${{left:`${c}%`}}></u>
            </i>
            <span class="num">${x(f)}</span>
          `)}
      </div>
      <p class="soft small">${Mn(u)}</p>
    </section>
  `}function Un({row:e,filters:t,icon:s,keys:n,label:o}){return e===void 0?null:a`
    <a class="button quiet icon" href=${M(t,e.id,e.time)} aria-label=${o}
      title=${o} aria-keyshortcuts=${`Alt+Shift+${n}`}>
      <${pe} name=${s} />
    </a>
  `}var pa=new Set(["chat_completions","completions","messages","responses","gemini","ollama"]);function $a({format:e}){return pa.has(e)}function Hn(e){return(t,s)=>s&&a`<${ga} key=${s} name=${t} value=${s} filters=${e} />`}function ma(e,t){let s=Hn(t);return[["Key",s("key",e.key)],["Team",e.team],["Owner",e.owner],["Agent",e.agent],["Started by agent",e.parent_agent],["API",e.format],["Session",s("session",e.session)],["End user",s("end_user",e.end_user)],["Tags",e.tags?.length>0&&e.tags.map(n=>s("tag",n))]].filter(([,n])=>n)}function ha(e,t){let s=e.usage_source!=="none",n=Hn(t);return[["Ended",X(e.time)],["Status",a`<${ze} isLong=${!0} row=${e} />`],["Model",n("model",e.model)??a`<${pt} value=${null} />`],["Provider",e.provider?n("provider",e.provider):"none"],["Upstream",e.upstream&&a`<code class="wrap-anywhere">${e.upstream}</code>`],["Input",s&&Bn(e.input_tokens,[["cached",e.cached_input_tokens],["written to the cache",e.cache_write_tokens]])],["Output",s&&Bn(e.output_tokens,[["reasoning",e.reasoning_tokens]])],...Re([e]).map(({id:o,title:r,text:i})=>[r,i(e[o])]),["Usage",va.get(e.usage_source)??e.usage_source],["Cost",s&&a`<${pt} value=${e.cost_usd} format=${w} />`],["Attempts",e.attempt_count],["First token",e.first_token_ms!=null&&x(e.first_token_ms)],["Duration",x(e.ms)]].filter(([,o])=>o)}function ga({name:e,value:t,filters:s}){if(t===null)return a`<${pt} value=${t} />`;let n=M({...Se(s),[e]:t});return a`
    <a class="mono wrap-anywhere" href=${n} title="All requests with this value">${t}</a>
  `}var va=new Map([["vendor","reported by the vendor"],["estimated","estimated, since the vendor reported none"],["none","none"]]);function Bn(e,t){let s=t.filter(([,n])=>n>0).map(([n,o])=>`${$(o)} ${n}`);return`${$(e)} tokens${s.length>0?` (${s.join(", ")})`:""}`}function Le(e){let[t,s]=k(0);return qs(()=>{s(Math.floor(e.current.clientWidth));let n=new ResizeObserver(([o])=>s(Math.floor(o.contentRect.width)));return n.observe(e.current),()=>n.disconnect()},[]),t}function Kn(e){let[{from:t,to:s,step_seconds:n}]=e,o=n*1e3,r=Date.parse(t),i=[];for(let u=r;u<Date.parse(s);u+=o)i.push({start:u,end:u+o,requests:0,errors:0});for(let{start:u,requests:l,errors:d}of e.flatMap(({data:c})=>c)){let c=i[Math.round((Date.parse(u)-r)/o)];c!==void 0&&(c.requests+=l,c.errors+=d)}return i}function Wn(e,t){if(e===null||t.length===0)return null;let[{start:s,end:n}]=t;if(e.step!==n-s)return null;let o=Math.round((s-e.first)/e.step),[r,i]=et(e),u=t.length-1;if(i-o<0||r-o>u)return null;let l=d=>Math.min(u,Math.max(0,d-o));return{anchor:l(e.anchor),focus:l(e.focus)}}function et({anchor:e,focus:t}){return[Math.min(e,t),Math.max(e,t)]}function Gn(e,{key:t,shiftKey:s},n){let o=n-1,r=e?.focus??(t==="ArrowRight"?-1:n),i={ArrowLeft:Math.max(0,r-1),ArrowRight:Math.min(o,r+1),PageUp:Math.max(0,r-10),PageDown:Math.min(o,r+10),Home:0,End:o};if(!Object.hasOwn(i,t)||o<0)return;let u=i[t];return{anchor:s&&e!==null?e.anchor:u,focus:u}}function Xn({from:e,to:t},s){let n=t-e,o=Math.min(t+n,s);return{from:o-3*n,to:o}}function Jn(e){if(e<2)return[1,0];let t=10**Math.floor(Math.log10(e)),s=[1,2,4,6,8,10].map(n=>n*t).find(n=>n>=e);return[s,s/2,0]}function Vn({requests:e,errors:t},s,n){if(e===0||s===0)return{others:0,errors:0};let o=Math.max(2,e/s*n),r=t===0?0:Math.min(o,Math.max(2,t/s*n));return{others:o-r,errors:r}}var Ne=64,ba=366*864e5;function Yn({intervals:e,isComplete:t,isCustom:s,onZoom:n}){let[o,r]=k(null),i=Wn(o,e),[{start:u,end:l}]=e,d=v=>r(v&&{...v,first:u,step:l-u}),c=i===null?e:wa(e,i),f={from:u,to:e.at(-1).end},p=v=>{let[b,S]=et(v);d(null),n(e[b].start,e[S].end)},m=()=>{let{from:v,to:b}=Xn(f,P());n(v,b)},g=Jn(e.reduce((v,{requests:b})=>Math.max(v,b),0)),h=s&&f.to-f.from<ba/3;return a`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${ka(c,i===null,t)}</b> <span class="faint small">${Xs(e[0].end-u)} a bar; drag, or use Shift and arrow
          keys, to select a period</span></span>
        <span class="row">
          ${i!==null&&a`
            <button type="button" class="small" onClick=${()=>p(i)}>
              Show only this
            </button>
          `}
          ${h&&a`
            <button type="button" class="small quiet" onClick=${m}>Zoom out</button>
          `}
        </span>
      </figcaption>
      <div class="histogram-plot">
        <div class="histogram-axis" aria-hidden="true">
        ${g.map(v=>a`<span key=${v}>${E(v)}</span>`)}
      </div>
        <${ya}
          axis=${g}
          intervals=${e}
          selection=${i}
          onSelect=${d}
          onZoom=${p}
          onWiden=${h?m:void 0}
        />
        <div class="histogram-times row spread small faint" aria-hidden="true">
          <span>${Ze(f.from)}</span>
          <span>${Ze(f.to)}</span>
        </div>
      </div>
    </figure>
  `}function ya({axis:e,intervals:t,selection:s,onSelect:n,onZoom:o,onWiden:r}){let i=F(null),u=Le(i),l=F(null),d=u/t.length,[c]=e,[f,p]=s===null?[-1,-2]:et(s),m=y=>{let _=y.clientX-i.current.getBoundingClientRect().left;return Math.min(t.length-1,Math.max(0,Math.floor(_/d)))};return a`
    <div
      class="histogram-bars"
      ref=${i}
      tabindex="0"
      role="group"
      aria-label="Select a time: arrow keys move, Shift and arrow keys extend, Enter shows only it,
        Escape clears, minus zooms out"
      onPointerDown=${y=>{if(y.button!==0)return;i.current.setPointerCapture(y.pointerId);let _=m(y);l.current={anchor:_,focus:_},n(l.current)}}
      onPointerMove=${y=>{l.current!==null&&(l.current={...l.current,focus:m(y)},n(l.current))}}
      onPointerUp=${()=>{let y=l.current;l.current=null,y!==null&&y.anchor!==y.focus&&o(y)}}
      onPointerCancel=${()=>{l.current=null,n(null)}}
      onKeyDown=${y=>{if(y.ctrlKey||y.metaKey||y.altKey)return;let _=Gn(s,y,t.length);if(_!==void 0)n(_);else if(y.key==="Enter"&&s!==null)o(s);else if(y.key==="Escape"&&s!==null)n(null);else if(y.key==="-"&&r!==void 0)r();else return;y.preventDefault(),y.stopPropagation()}}
    >
      <svg width=${u} height=${Ne} aria-hidden="true">
        ${f>=0&&a`
          <rect class="hovered" x=${f*d} y="0" width=${(p-f+1)*d}
            height=${Ne} />
        `}
        ${e.slice(0,-1).map((y,_)=>a`
            <line key=${y} class="grid-line" x1="0" x2=${u}
              y1=${Ne*_/(e.length-1)+.5}
              y2=${Ne*_/(e.length-1)+.5} />
          `)}
        <path class="volume" d=${Zn(t,c,d,!1)} />
        <path class="errors" d=${Zn(t,c,d,!0)} />
      </svg>
    </div>
  `}function Zn(e,t,s,n){let o=Math.max(1,s-1);return e.map((r,i)=>{let{errors:u,others:l}=Vn(r,t,Ne),d=n?u:l;if(d===0)return"";let c=Ne-u-(n?0:l);return`M${(i*s).toFixed(1)} ${c.toFixed(1)}h${o.toFixed(1)}v${d.toFixed(1)}h${(-o).toFixed(1)}z`}).join("")}function wa(e,t){let[s,n]=et(t);return e.slice(s,n+1)}function ka(e,t,s){let n=c=>e.reduce((f,p)=>f+p[c],0),[o,r]=[n("requests"),n("errors")],i=o===1?"request":"requests",u=[`${s?"":"\u2265 "}${$(o)} ${i}`,`${$(r)} failed`];if(t)return u.join(", ");let[l,d]=[e[0].start,e.at(-1).end];return`${u.join(", ")} from ${Ze(l)} to ${Ze(d)}`}var St=50,tt=200,xa=2e3,_a=1e4,Sa=30,Oa=30,Qn=50,zn=1e3,Ot=Qn*zn;function eo(e,t,s){let[n,o]=k(0),[r,i]=k(Ee),u=`${M(t)} ${j()}`,l=[e.hasAdmin,u,n],d=js(l),c=F(void 0);H(()=>{let h=new AbortController;c.current=mt(t,P(),j()),c.current.set("limit",String(St)),i(S=>({...S,isLoading:!0}));let{signal:v}=h;return(t.sort===""?Ta(e,c.current,v,i):Ca(e,t,c.current,v,i)).then(S=>v.aborted||i(S),S=>v.aborted||i(({rows:y})=>({...Ee,...S.isPassing&&{rows:y},isLoading:!1,error:S}))),()=>h.abort()},l);let f=F(new AbortController);H(()=>{let h=new AbortController;return f.current=h,()=>h.abort()},[...l,s]),_e(async()=>{let{signal:h}=f.current;try{let v=await st(e,c.current,void 0,h);h.aborted||i(b=>En(b,v))}catch(v){h.aborted||i(b=>({...b,moreError:v}))}},xa,s);let m=async()=>{let h=c.current;i(v=>({...v,isLoadingMore:!0,moreError:void 0}));try{let v=0,{next:b}=r;for(;v<St&&b!==null&&c.current===h;){let S=await st(e,h,b);if(c.current!==h)return;v+=S.data.length,{next:b}=S;let y=v>=St||b===null;i(_=>({...rs(_,S),isLoadingMore:!y}))}}catch(v){if(c.current!==h)return;i(b=>({...b,isLoadingMore:!1,moreError:v}))}},g=()=>o(h=>h+1);return Yt(r.error,g),{...r,isLoading:r.isLoading||d,loadMore:m,reload:g}}async function Ta(e,t,s,n){let o=os(await st(e,t,void 0,s));for(;o.rows.length<St&&o.next!==null&&!s.aborted;)n({...o,isLoadingMore:!0}),o=rs(o,await st(e,t,o.next,s));return o}async function Ca(e,t,s,n,o){let r=new URLSearchParams(s);r.set("limit",String(tt)),r.set("sort",t.sort),t.order!==""&&r.set("order",t.order);let i=Ee,u;for(let l=0;u!==null&&l<Oa;l++){let d=await st(e,r,u,n);i=Ln(i,d,t,tt),n.aborted||o(i),u=d.next}return i}function st(e,t,s,n){let o=new URLSearchParams(t);return s!==void 0&&o.set("before",s),T(U(e,"requests",o),n&&{signal:n})}function to(e,t,s){let[n,o]=k({pages:void 0,isComplete:!1,error:void 0}),[r,i]=k(0),u=`${M(t)} ${j()}`;H(()=>{let d=new AbortController,{signal:c}=d;return(async()=>{let p=P(),m=mt(t,p,j());m.has("to")||m.set("to",new Date(p).toISOString());let g=[];for(let h="";h!==null&&g.length<Sa;){h!==""&&m.set("before",h);let v=await T(U(e,"request_counts",m),{signal:c});if(c.aborted)return;g.push(v),{next:h}=v,o({pages:[...g],isComplete:h===null,error:void 0})}})().catch(p=>c.aborted||o({pages:void 0,isComplete:!1,error:p})),()=>d.abort()},[e.hasAdmin,u,r]);let l=()=>i(d=>d+1);return _e(l,_a,s),Yt(n.error,l),{...n,recount:l}}async function so(e,t){let s=mt(t,P(),j());s.set("format","csv"),s.set("limit",String(zn));let n=[],o;do{o&&s.set("before",o);let r=await Ms(U(e,"requests",s));n.push(await r.text()),o=r.headers.get("x-sluice-next")}while(o!==null&&n.length<Qn);return{text:gn(n),hasMore:o!==null}}function no({route:e}){let t=G(),s=Ws(e.query),n=e.path[0],o=e.query.get("time"),{isOpen:r}=Qt(s,P(),j()),i=s.range==="custom",[u,l]=k(!1),d=r&&s.sort==="",c=u&&d,f=eo(t,s,c),p=to(t,s,c),m=h=>location.hash=M(h,n,o),g=()=>{f.reload(),p.recount()};return a`
    <div class="view wide-view" data-view="requests">
      <${se}
        title="Requests"
        note=${`Requests of ${t.hasAdmin?"all keys":"your key"}. Their content is not stored.`}
      >
        <button
          type="button"
          aria-pressed=${String(c)}
          class=${c?"live-button on":"live-button"}
          title=${d?"Show requests as they end":`Choose ${r?"the order by time":"a range up to now"}`}
          disabled=${!d}
          aria-keyshortcuts="Alt+Shift+L"
          onClick=${()=>l(!c)}
        ><span class="dot" aria-hidden="true"></span>Live</button>
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${g}
          disabled=${f.isLoading}>Refresh</button>
        <${Ea} session=${t} filters=${s} counts=${p} />
      <//>
      <${wn}
        filters=${s}
        rows=${f.rows}
        session=${t}
        opened=${n}
        time=${o}
      />
      ${p.pages&&a`
        <${Yn}
          intervals=${Kn(p.pages)}
          isComplete=${p.isComplete}
          isCustom=${i}
          onZoom=${(h,v)=>m($t(s,h,v))}
        />
      `}
      <div class=${`list-and-details ${n?"has-details":""}`}>
        <div class="list stack">
          <${C} error=${f.error} title="The requests cannot be listed" />
          <${qa}
            list=${f}
            filters=${s}
            opened=${n}
            session=${t}
            onSort=${h=>m({...s,...h})}
          />
        </div>
        ${n&&a`
          <${jn}
            key=${n}
            id=${n}
            time=${o}
            session=${t}
            filters=${s}
            rows=${f.rows}
          />
        `}
      </div>
    </div>
  `}function qa({list:e,filters:t,opened:s,session:n,onSort:o}){let{rows:r,error:i,moreError:u,isLoading:l,isLoadingMore:d,isSorting:c,next:f,loadMore:p}=e;return r===void 0?i?null:a`<${A} text="Loading the requests" />`:r.length===0&&f===null&&!c&&!l?a`<${Aa} filters=${t} />`:a`
    <div class=${`stack ${l?"stale":""}`}>
      <${In} rows=${r} filters=${t} opened=${s} onSort=${o}
        showsKey=${n.hasAdmin} note=${l?"":Ma(t,e)} />
    </div>
    <${C} error=${u} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${r.length} shown${d?", searching older requests":""}</span>
      ${f!==null&&a`
        <button type="button" class="no-print" aria-keyshortcuts="Alt+Shift+M" onClick=${p}
          disabled=${d}>
          ${d?"Loading":Ve(t)?"Search older requests":"Load more"}
        </button>
      `}
    </div>
  `}function Ma({sort:e},{rows:t,isSorting:s}){if(e==="")return"";if(s)return"Sorting: older requests are still being read.";let n=["cost_usd","first_token_ms","path","model","provider"].includes(e)?" Requests without this value are left out.":"";return t.length<tt?`All requests of this time and these filters.${n}`:`The first ${tt} in this order, of all requests of this time and these filters.${n}`}function Aa({filters:e}){let t={...e,range:"90d",from:"",to:""};return a`
    <div class="card empty stack">
      <p>
        ${Ve(e)?"No request matches these filters in this time.":"No requests in this time. They appear here as soon as they end."}
      </p>
      ${e.range!=="90d"&&a`
        <p><a class="button" href=${M(t)}>Show the last 90 days</a></p>
      `}
    </div>
  `}function Ra(e){let t=j(),{from:s,to:n}=Qt(e,P(),t);return`requests_${Y(s,t)}_${Y(n-1,t)}.csv`}function Ea({session:e,filters:t,counts:{isComplete:s,pages:n=[]}}){let[o,r]=k({}),i=async()=>{r({isLoading:!0});try{let{text:c,hasMore:f}=await so(e,t);yt(Ra(t),c);let p=f&&new Error("The file contains only the newest requests: choose a shorter period");r({error:p})}catch(c){r({error:c})}},u=n.flatMap(({data:c})=>c).reduce((c,{requests:f})=>c+f,0),l=u>Ot,d=l?`newest ${$(Ot)} rows`:`${$(u)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${i}
      disabled=${o.isLoading}
      title=${`Download CSV: at most the newest ${$(Ot)} requests`}
    >${s||l?`CSV, ${d}`:"CSV"}</button>
    <${C} error=${o.error} title="Download" />
  `}var ho={};ke(ho,{default:()=>$o});async function Ie(e){let t=[],s=null;do{let n={limit:String(5e3),...s!==null&&{after:s}},o=await e(n);t.push(o.part),s=o.next??null}while(s!==null&&t.length<20);return{parts:t,hasMore:s!==null}}function ro(e){let t=null;return e.toReversed().map((s,n)=>{let o=t!==null&&s.provider!==null&&s.provider!==t;return s.provider!==null&&({provider:t}=s),{...s,number:n+1,hasMoved:o}})}function io(e){let t=l=>e.reduce((d,c)=>d+(c[l]??0),0),s=e.filter(({hasMoved:l})=>l).length,n=e.at(-1),o=Date.parse(n.time)-Date.parse(e[0].time)+e[0].ms,r=s===0?"never moved":s===1?"moved once":`moved ${s} times`,i=t("input_tokens"),u=e.length===1?"request":"requests";return{title:`${$(e.length)} ${u} in ${Ds(o)}; ${r}, ${La(e)}`,text:i===0?"No input tokens are known.":`${q(t("cached_input_tokens"),i)} of ${$(i)} input tokens came from the prompt cache.`}}function La(e){let t=e.filter(o=>o.cost_usd!=null);if(t.length===0)return"cost unknown";let s=t.reduce((o,r)=>o+r.cost_usd,0);return`${e.some(o=>o.cost_usd==null&&o.usage_source!=="none")?"\u2265 ":""}${w(s)}`}var nt=["key","team","owner","model","provider"],Tt=new Map([["cost","cost_usd"],["moves","affinity_moves"],["requests","requests"],["failed","errors"]]),Ct=["id",...nt,...Tt.keys()],ao=["cost>1","moves>0","failed>0"];function uo(e){return{...Object.fromEntries(Ct.map(t=>[t,e.get(t)??""])),...qe(e)}}function ue(e,t){let s=new URLSearchParams;for(let o of[...Ct,...Bs]){let r=o==="range"&&e.range==="custom";e[o]&&!r&&s.set(o,e[o])}return`${t===void 0?"#/sessions":`#/sessions/${encodeURIComponent(t)}`}?${s}`}function lo(e){return{...e,...Object.fromEntries(Ct.map(t=>[t,""]))}}function qt(e){return Ct.filter(t=>e[t]!=="").map(t=>({filter:t,name:t,value:e[t],sign:Tt.has(t)?">":":"}))}function co(e,t){let s={...t};for(let[n]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let o=n.replaceAll('"',""),[,r="",i="",u=""]=/^([a-z]+)([:>])(.*)$/i.exec(o)??[];if(i===">"&&Tt.has(r)){if(!/^\d{1,9}(\.\d{1,9})?$/.test(u))return{fault:`'${r}>' needs a number`};s[r]=u}else if(i===":"&&nt.includes(r)){if(u==="")return{fault:`'${r}:' needs a value`};s[r]=u}else s.id=i===":"&&r==="id"?u:o}return{filters:s}}function fo(e){return Object.fromEntries(nt.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function po(e,t){let s=new Map;for(let r of e){if(r.session===null)continue;let i=s.get(r.session)??{session:r.session,last:""};for(let[u,l]of Object.entries(r))typeof l=="number"&&(i[u]=(i[u]??0)+l);r.hour>i.last&&(i.last=r.hour),s.set(r.session,i)}let n=t.id.toLowerCase(),o=[...Tt].filter(([r])=>t[r]!=="");return[...s.values()].filter(r=>r.session.toLowerCase().includes(n)&&o.every(([i,u])=>(r[u]??0)>Number(t[i])))}var Na=200,Ia=5;function $o({route:e}){let t=G(),s=e.path[0],n=j(),o=uo(e.query),r=fo(o),i=[t.hasAdmin,o.range,o.from,o.to,n],u=W(()=>Pa(o,n),i),{data:l,error:d,isLoading:c}=L(f=>Da(t,{...u,...r},f),[...i,JSON.stringify(r)]);return a`
    <div class="view" data-view="sessions">
      <${se}
        title="Sessions"
        note="Requests that clients grouped by a session ID, such as those of one agent."
      />
      <${Fa} filters=${o} session=${t} opened=${s} />
      <${C} error=${d} title="The sessions cannot be listed" />
      ${l===void 0&&!d&&a`<${A} text="Loading the sessions" />`}
      <div class=${`list-and-details ${s===void 0?"":"has-details"}`}>
        ${l!==void 0&&a`
          <div class=${`list stack ${c?"stale":""}`}>
            <${Ka} data=${l} filters=${o} opened=${s} />
          </div>
        `}
        ${s!==void 0&&a`
          <${Ga} key=${s} id=${s} session=${t} times=${u}
            filters=${o} />
        `}
      </div>
    </div>
  `}function Pa(e,t){let{from:s,isOpen:n,to:o}=xe(e,P(),t),r=i=>new Date(i).toISOString();return{from:r(s),...!n&&{to:r(o)}}}async function Da(e,t,s){let{parts:n,hasMore:o}=await Ie(async r=>{let i=U(e,"usage",{...t,group_by:"session,hour",...r}),{data:u,next:l}=await T(i,{signal:s});return{part:u,next:l}});return{entries:n.flat(),hasMore:o}}function Fa({filters:e,session:t,opened:s}){let n=o=>location.hash=ue(o,s);return a`
    <${kt}
      label="Filter the sessions"
      words=${qt(e)}
      current=${ue(e,s)}
      placeholder="Add a filter: key:, model:, provider:, cost>1, moves>0, a part of an ID"
      session=${t}
      completed=${nt.filter(o=>t.hasAdmin||!Ua.includes(o))}
      offered=${ao}
      onAdd=${o=>{let r=co(o,e);return r.fault===void 0&&n(r.filters),r.fault}}
      onRemove=${o=>n({...e,[o]:""})}
      clear=${qt(e).length>0?ue(lo(e),s):void 0}
    />
  `}var Ua=["key","team","owner"];function le(e,t,s,n,o={}){return{id:e,title:t,of:s,text:n,isNumber:!0,...o}}var Ba=[{id:"session",title:"Session",of:e=>e.session,isRisingFirst:!0},le("requests","Requests",({requests:e})=>e,$,{card:"c",mark:"requests"}),{id:"last",title:"Last",of:({last:e})=>e,text:ja,panel:"low",hint:"The hour of the last request"},le("errors","Failed",({errors:e})=>e>0?e:void 0,$),le("input","Input",e=>e.input_tokens,E,{hint:"Input tokens",panel:"hide"}),le("cached","Cached",Ha,e=>q(e,1),{hint:"The share of the input that came from prompt caches",card:"d",mark:"cached"}),le("moves","Moves",e=>e.affinity_moves>0?e.affinity_moves:void 0,$,{hint:"How often it moved to another target"}),le("saved","Saved",e=>e.saved_usd>0?e.saved_usd:void 0,w,{hint:"What caches have saved",panel:"hide"}),le("cost","Cost",e=>e.cost_usd,(e,t)=>a`<span title=${`$${e}`}>${t.unpriced_requests>0?"\u2265 ":""}${w(e)}</span>`,{card:"b"})];function ja(e){let t=Date.parse(e);return a`<span title=${X(t)}>${ne(t).replace(/:00$/,"")}</span>`}function Ha(e){return e.input_tokens>0?e.cached_input_tokens/e.input_tokens:void 0}function Ka({data:e,filters:t,opened:s}){let n=W(()=>po(e.entries,t),[e,ue(t)]);return n.length===0?a`
      <p class="card empty">
        ${qt(t).length>0?"No session matches these filters in this time.":a`No session in this time. A client names one by the header
              <code>x-sluice-session</code>.`}
      </p>
    `:a`
    <${B}
      label="Sessions"
      columns=${Ba}
      rows=${n}
      idOf=${o=>o.session}
      hrefOf=${o=>ue(t,o.session)}
      actionsOf=${o=>[{text:"Open",href:ue(t,o.session)},{text:"Its requests",href:M({...ae,session:o.session})},{text:"Copy the ID",copy:o.session}]}
      order=${{id:"cost",isRising:!1}}
      current=${s}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>mo(t)}
    />
    <p class="faint small" role="status">
      ${n.length===1?"1 session":`${$(n.length)} ${e.hasMore?"or more ":""}sessions`}
    </p>
  `}function mo(e){location.hash=ue(e)}async function Wa(e,t,s,n){let o=[],r;for(let i=0;i<Ia&&r!==null;i++){let u={...s,session:t,limit:String(Na),...r&&{before:r}},{data:l,next:d}=await T(U(e,"requests",u),{signal:n});o.push(...l),r=d}return{turns:ro(o),hasMore:r!==null}}function Ga({id:e,session:t,times:s,filters:n}){let{data:o,error:r}=L(i=>Wa(t,e,s,i),[e,s]);return a`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${ie} text=${e} />
        </h2>
        <${Rs} icon="close" label="Close the session"
          onClick=${()=>mo(n)} />
      </header>
      <div class="stack padded">
        <${C} error=${r} title="The session cannot be shown" />
        ${!o&&!r&&a`<${A} />`}
        ${o?.turns.length===0&&a`
          <p>This session has no request in this time.</p>
          <p><a class="button" href=${ue({...n,range:"90d",from:"",to:""},e)}>Show the last 90 days</a></p>
        `}
        ${o?.turns.length>0&&a`<${Xa} ...${o} />`}
      </div>
    </section>
  `}function Xa({turns:e,hasMore:t}){let{text:s,title:n}=io(e),o=W(()=>Ja(e),[e]),r=e.findLast(i=>i.agent)?.agent;return a`
    <p class="said">${n}</p>
    <p class="soft small">${s}${r&&` Agent: ${r}.`}</p>
    ${t&&a`<p class="hint">The newest ${$(e.length)} requests.</p>`}
    <${B} label="Requests of the session" columns=${o} rows=${e}
      idOf=${i=>`${i.time} ${i.id}`}
      hrefOf=${i=>M(ae,i.id,i.time)}
      order=${{id:"number",isRising:!0}} />
  `}function Ja(e){let t=Math.max(1,...e.map(s=>s.input_tokens));return[{id:"number",title:"No.",of:({number:s})=>s,isRisingFirst:!0,cell:({number:s,time:n})=>a`<span title=${X(n)}>${s}</span>`},{id:"provider",title:"Provider",card:"b",of:({provider:s})=>s,cell:s=>a`
          ${s.hasMoved&&a`
            <span class="badge">Moved</span>
          `}
          ${s.provider===null?"\u2013":a`<${ie} text=${s.provider} />`}
          ${s.status>=400&&a`
            <${ze} row=${s} />
          `}
        `},{id:"input",title:"Input",hint:"Input tokens; the dark part was cached",card:"c",of:s=>s.input_tokens,cell:s=>a`<${Va} turn=${s} most=${t} />`},le("first","First",s=>s.first_token_ms,x,{hint:"Time to first content"}),le("cost","Cost",s=>s.cost_usd,w,{card:"d"})]}function Va({turn:{cached_input_tokens:e,input_tokens:t},most:s}){let n=`${$(e)} of ${$(t)} from the cache`;return a`
    <span class="input-bar" title=${n}>
      <span class="input-track" style=${{width:`${48*t/s}px`}}>
        <span style=${{width:`${t===0?0:100*e/t}%`}}></span>
      </span>
      ${E(t)}
    </span>
  `}var Mo={};ke(Mo,{default:()=>qo});var Za=3e3;function go({id:e,hasAdmin:t,onClose:s}){let n=t?"/v1/admin/providers":"/v1/providers",{data:o,error:r,reload:i}=L(l=>T(n,{signal:l}),[n]);_e(i,Za);let u=o?.data.find(l=>l.id===e);return a`
    <${K} title=${`Provider ${e}`} onClose=${s}>
      <div class="stack">
        <${C} error=${r} />
        ${!o&&!r&&a`<${A} />`}
        ${o&&!u&&a`<p>This provider is no longer configured.</p>`}
        ${u&&a`<${Ya} provider=${u} />`}
      </div>
      <//>
  `}function Ya({provider:e}){let t=cs(e,"breakers"),s=cs(e,"learned_rejections");return a`
    <p class="row soft">
      <span>Kind <code>${e.kind}</code></span>
      <span>${eu(e)}</span>
      ${e.workers?.length>1&&a`<span>${e.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${ls}
      label="Circuit breakers"
      columns=${["Model","State","Recent failures","Tries again"]}
      rows=${t.map(({worker:n,model:o,state:r,failures:i,tries_again_in_ms:u})=>[ds(o,n),a`<${gt} state=${r} />`,i,u===void 0?"\u2013":`in ${x(u)}`])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${Qa} provider=${e} />
    <h3>Learned rejections</h3>
    <${ls}
      label="Learned rejections"
      columns=${["Model","What the vendor rejects"]}
      rows=${s.map(({worker:n,model:o,...r})=>[ds(o,n),a`<span class="mono wrap-anywhere">${vo(r)}</span>`])}
      empty="None."
    />
  `}function Qa({provider:e}){let t=cs(e,"suspended_keys");return e.workers===void 0&&e.keys?.suspended>0?a`<p>${e.keys.suspended} of ${e.keys.configured} keys are suspended.</p>`:a`
    <${ls}
      label="Suspended keys"
      columns=${["Key","Model","Reason","Ends"]}
      rows=${t.map(({worker:s,key:n,model:o,reason:r,ends_in_ms:i})=>[ds(za(e,n),s),o??"all",r,`in ${x(i)}`])}
      empty="None."
    />
  `}function ls({label:e,columns:t,rows:s,empty:n}){return s.length===0?a`<p class="soft">${n}</p>`:a`
    <${Ae} label=${e}>
      <thead>
        <tr>${t.map(o=>a`<th key=${o} scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${s.map((o,r)=>a`
            <tr key=${r}>${o.map((i,u)=>a`<td key=${u}>${i}</td>`)}</tr>
          `)}
      </tbody>
      <//>
  `}function cs({workers:e,...t},s){if(e===void 0)return Array.isArray(t[s])?t[s]:[];let n=e.length===1;return e.flatMap(o=>(o[s]??[]).map(r=>({...r,worker:n?void 0:o.worker})))}function ds(e,t){return a`
    <span class="mono wrap-anywhere">${e}</span>
    ${t!==void 0&&a`<span class="faint small"> worker ${t}</span>`}
  `}function za({keys:e},t){return(Array.isArray(e)?e.find(n=>n.index===t):void 0)?.fingerprint??`key ${t}`}function eu({keys:e}){let t=Array.isArray(e)?e.length:e?.configured??0;return t===1?"1 key":`${t} keys`}function vo(e){return Object.entries(e).map(([t,s])=>`${t}: ${typeof s=="object"&&s!==null?vo(s):s}`).join(", ")}var tu=[...zt.keys()],yo={id:"state",isRising:!0};function wo({providers:e,since:t,now:s,hasAdmin:n,opened:o}){let[r,i]=k(null),u=W(()=>ou(s),[s]);if(e.length===0)return a`<p class="card empty">No provider is enabled.</p>`;let l=({id:c})=>[{text:"Breakers and keys",href:bo(c)},{text:"Its requests",href:M({...ae,provider:c})},{text:"Its failures",href:M({...ae,provider:c,status:"error"})},...n?[{text:"Reset\u2026",run:()=>i(c)}]:[],{text:"Copy the name",copy:c}],d=()=>location.hash="#/status";return a`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">All providers</h2>
        ${t&&a`
          <span class="faint small">Attempts and durations since ${ne(t)}</span>
        `}
      </div>
      <${B} label="Providers" columns=${u} rows=${es(e)}
        idOf=${({id:c})=>c} hrefOf=${({id:c})=>bo(c)} actionsOf=${l}
        order=${yo} current=${o} />
    </section>
    ${o!==void 0&&a`
      <${go} id=${o} hasAdmin=${n} onClose=${d} />
    `}
    ${r!==null&&a`<${iu} id=${r} onClose=${()=>i(null)} />`}
  `}function bo(e){return`#/status/${encodeURIComponent(e)}`}function ko(e){return[{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({state:t})=>tu.indexOf(t),cell:({state:t})=>a`<${su} state=${t} />`},{id:"since",title:"Since",of:({health:t,state:s})=>Is(s)||s==="ok"?t?.since:void 0,text:t=>a`<span title=${X(t)}>${he(t,e)}</span>`},{id:"evidence",title:"Evidence",isProse:!0,card:"c",of:t=>xo(t,e),cell:t=>a`<${nu} entry=${t} now=${e} />`}]}function su({state:e}){return e==="limited"?a`<span class="st slow">${zt.get(e).text}</span>`:a`<${Me} state=${e} />`}function xo({health:e,last_failure:t},s){let n=e==null?"":We(e,s);if(!t)return n;let o=n.replace(/; \d+$/,""),r=`${Zs(t)}, ${Ps(t.time,s)}`;return o===""?r:`${o}; ${r}`}function nu({entry:e,now:t}){let{last_failure:s}=e,n=xo(e,t);if(!s)return a`<span title=${n}>${n||"\u2013"}</span>`;let{request:o,time:r}=s;return a`<a class="failure" href=${M(ae,o,r)} title=${n}>${n}</a>`}function ou(e){return[{id:"provider",title:"Provider",of:({id:t})=>t,isRisingFirst:!0},...ko(e),{id:"history",title:"24 h, failed",hint:"A bar for each hour",cell:({history:t})=>a`<${ru} history=${t} />`},{id:"in_flight",title:"In flight",isNumber:!0,text:$,of:t=>t.in_flight||void 0},..._o(),{id:"rescued",title:"Rescued",isNumber:!0,of:({rescued:t})=>t,text:$,hint:"Failed attempts of requests that eventually succeeded"},{id:"p50",title:"p50",isNumber:!0,of:t=>t.p50_ms,text:x},{id:"p95",title:"p95",isNumber:!0,of:t=>t.p95_ms,text:x},So(),{id:"keys",title:"Suspended",hint:"Suspended keys",isNumber:!0,of:t=>t.resting_keys>0?t.resting_keys:void 0,text:(t,{keys:s})=>`${t} of ${s} keys`}]}function _o(){return[{id:"attempts",title:"Attempts",isNumber:!0,card:"d",mark:"attempts",of:({attempts:e})=>e,text:$},{id:"failed",title:"Failed",isNumber:!0,of:e=>e.failed_attempts,text:(e,{attempts:t})=>`${$(e)}${e>0?`, ${q(e,t)}`:""}`}]}function So(){return{id:"breaker",title:"Breaker",of:({breaker:e})=>e==="closed"?void 0:e,cell:({breaker:e,tries_again_in_ms:t})=>a`
        ${e==="closed"?a`<span class="faint">Closed</span>`:a`<${gt} state=${e} />`}
          ${t>0&&a`<span class="faint small"> tries again in ${x(t)}</span>`}
      `}}function ru({history:e}){let t=Ys(e);return a`
    <span class="history" role="img" aria-label=${t} title=${t}>
      ${e.map((s,n)=>a`<span key=${n} class=${Qs(s)??"none"}></span>`)}
    </span>
  `}function iu({id:e,onClose:t}){let[s,n]=k({}),o=async()=>{n({isBusy:!0});let l=`/v1/admin/providers/${encodeURIComponent(e)}/reset`;try{n({cleared:(await T(l,{method:"POST"})).cleared})}catch(d){n({error:d})}},{cleared:r,error:i,isBusy:u}=s;return a`
    <${K} title=${`Reset ${e}`} onClose=${t} class="narrow">
      <div class="stack">
        ${r===void 0?a`<p>
            This closes the circuit breakers, resumes the suspended keys and forgets the learned
            rejections of <code>${e}</code>, in every worker.
          </p>`:a`<p role="status">
            Cleared: ${r.breakers} breakers, ${r.suspended_keys} suspended keys,
            ${" "}${r.learned_rejections} learned rejections.
          </p>`}
        <${C} error=${i} title="Not reset" />
        <div class="row end">
          <button type="button" onClick=${t}>${r?"Close":"Cancel"}</button>
          ${!r&&a`
            <button type="button" class="primary" onClick=${o} disabled=${u}>Reset</button>
          `}
        </div>
      </div>
      <//>
  `}function Oo({models:e,now:t}){let s=W(()=>[{id:"model",title:"Model",of:({id:n})=>n,isRisingFirst:!0},{id:"provider",title:"Provider",of:({provider:n})=>n,text:n=>a`<${ie} text=${n} />`},...ko(t),..._o(),So()],[t]);return e.length===0?null:a`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${B} label="Targets" columns=${s} rows=${es(e)}
        idOf=${({id:n,provider:o})=>JSON.stringify([n,o])} order=${yo} />
    </section>
  `}var au=[{id:"provider",title:"Provider",of:({id:e})=>e,isRisingFirst:!0},{id:"kind",title:"Kind",of:({kind:e})=>e,card:"b"},{id:"reason",title:"Reason",isProse:!0,card:"c2",of:({reason:e})=>e??"unknown",text:e=>a`<span title=${e}>${e}</span>`}];function To({providers:e}){return e.length===0?null:a`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${B} label="Disabled providers" columns=${au} rows=${e}
        idOf=${({id:t})=>t} order=${{id:"provider",isRising:!0}} />
    </section>
  `}var fs=120,Pe=26,Co=60;function Mt({values:e,tone:t=""}){let s=Math.max(1,...e),n=Co-e.length,o=i=>((n+i)/(Co-1)*fs).toFixed(1),r=e.map((i,u)=>{let l=Pe-1-i/s*(Pe-3);return`${o(u)},${l.toFixed(1)}`}).join(" ");return a`
    <svg
      class=${`sparkline ${t}`}
      height=${Pe}
      viewBox=${`0 0 ${fs} ${Pe}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon
        points=${`${o(0)},${Pe} ${r} ${fs},${Pe}`}
        fill="currentColor"
      />
      <polyline
        points=${r}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linejoin="round"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  `}var uu=.05;function qo({route:e}){let t=G(),{state:s,history:n,isLive:o,error:r}=zs(U(t,"live")),u=`${t.hasAdmin?"All providers of this gateway":"The providers of the models that your key may use"}. States are those of the last 10 minutes.`;return a`
    <div class="view" data-view="status">
      <${se} title=${s===void 0?"Providers":Js(s)} note=${u}>
        <${du} isLive=${o} state=${s} error=${r} />
      <//>
      <${C} error=${r} title="No live state" />
      ${s===void 0?!r&&a`<${A} text="Connecting" />`:a`
        <${lu} state=${s} history=${n} opened=${e.path[0]}
          hasAdmin=${t.hasAdmin} />
      `}
    </div>
  `}function lu({state:e,history:t,hasAdmin:s,opened:n}){let o=e.providers.filter(u=>u.enabled),r=e.providers.filter(u=>!u.enabled),i=Date.parse(e.at);return a`
    <${cu} state=${e} now=${i} />
    <${pu} config=${e.config} />
    <${fu} state=${e} history=${t} enabled=${o.length} />
    <${wo} providers=${o} since=${e.since} now=${i} hasAdmin=${s}
      opened=${n} />
    <${Oo} models=${e.models??[]} now=${i} />
    <${To} providers=${r} />
  `}function cu({state:e,now:t}){let s=Vs(e,t);return s.length===0?null:a`
    <ul class="problems" aria-label="Problems now">
      ${s.map(({id:n,text:o})=>a`
          <li key=${n}><a href=${`#/status/${encodeURIComponent(n)}`}>${n}</a> ${o}</li>
        `)}
    </ul>
  `}function du({isLive:e,state:t,error:s}){return e?a`
      <span class="live-mark good">
        <span class="dot" aria-hidden="true"></span>
        <span role="status">Live</span>
        <time class="faint mono">${ne(t.at)}</time>
      </span>
    `:a`
    <span class="live-mark">
      <span class="dot" aria-hidden="true"></span>
      <span role="status">${t===void 0&&!s?"Connecting":"Not live"}</span>
      ${t&&a`<time class="faint mono">last at ${ne(t.at)}</time>`}
    </span>
  `}function fu({state:e,history:t,enabled:s}){let{in_flight:n,requests_per_second:o,errors_per_second:r,providers:i,config:u}=e,l=o>0?r/o:0;return a`
    <dl class="figure-grid card live">
      <${D} label="In flight" value=${$(n)}>
        <${Mt} values=${t.map(d=>d.in_flight)} />
        <//>
        <${D} label="Requests per second" value=${Ke(o)}>
          <${Mt} values=${t.map(d=>d.requests_per_second??0)} />
          <//>
          <${D}
            label="Errors per second"
            value=${Ke(r)}
            note=${l>0?`${q(l,1)} of requests`:""}
            tone=${l>=uu?"bad":""}
          >
        <${Mt} values=${t.map(d=>d.errors_per_second??0)} tone="bad" />
      <//>
      <${D}
        label="Providers enabled"
        value=${`${s} of ${i.length}`}
      />
      ${u&&a`
        <${D}
          label="Configuration"
          value=${u.valid?"Valid":"Stale"}
          tone=${u.valid?"":"warn"}
          note=${u.loaded_at&&`loaded ${ne(u.loaded_at)}`}
        />
      `}
    </dl>
  `}function pu({config:e}){if(e===void 0||e.valid)return null;let{faults:t=[],loaded_at:s,reason:n}=e;return a`
    <section class="banner warn" role="alert" aria-labelledby="config-faults">
      <h2 id="config-faults">The changed configuration is not valid</h2>
      <p>
        The gateway still uses the configuration
        ${s?` that it loaded on ${X(s)}.`:" that it loaded before."}
      </p>
      ${t.length===0&&n&&a`<p>${n}</p>`}
      ${t.length>0&&a`
        <ul class="faults mono">
          ${t.map((o,r)=>a`<li key=${r}>${o}</li>`)}
        </ul>
      `}
    </section>
  `}var Sr={};ke(Sr,{default:()=>_r});var At=36e5,$u=48*At,mu="month",ce=["key","team","owner","model","provider","tag","end_user"],hu=["requests","errors","tokens","cost","latency"],ot={by:"model",then:"",prefix:"",show:"cost",tab:"use",...Object.fromEntries(ce.map(e=>[e,""]))};function Rt(e){let{by:t,show:s,then:n}=Object.fromEntries(e),o=ce.includes(t)?t:ot.by;return{...qe(e,mu),by:o,then:ce.includes(n)&&n!==o?n:"",prefix:e.get("prefix")??"",show:hu.includes(s)?s:ot.show,tab:e.get("tab")==="bill"?"bill":ot.tab,...Object.fromEntries(ce.map(r=>[r,e.get(r)??""]))}}function De(e){return Object.fromEntries(ce.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function Fe(e,t="usage"){let s=new URLSearchParams;Ge(s,e);for(let n of Object.keys(ot))e[n]!==ot[n]&&s.set(n,e[n]);return`#/${t}?${s}`}function Ue(e,t,s){let{from:n,isOpen:o,to:r}=xe(e,t,s),i=r-n<=$u?"hour":"day",u=[],l=i==="hour"?n-n%At:Z(n,s);for(;l<r;)u.push(l),l=i==="hour"?l+At:Z(l,s,1);return{from:Math.min(n,u[0]??n),to:r,end:l,isOpen:o,unit:i,zone:s,starts:u}}function Ao(e,{unit:t,zone:s}){return t==="hour"?`${new Date(e).toISOString().slice(0,16)}Z`:Y(e,s)}function Ro(e,{from:t,to:s,zone:n,isOpen:o}){let r=o?Z(s-1,n):s;if(r<=t)return;let i=Math.round((r-t)/(24*At)),l=e.range==="month"||e.range==="last-month"?me(t,n,-1):Z(t,n,-i),d=Z(l,n,i);return{now:{from:t,to:r},before:{from:l,to:Math.min(d,t)}}}function Et({from:e,to:t},s){return{from:new Date(e).toISOString(),to:new Date(t).toISOString(),...s!=="UTC"&&{time_zone:s}}}var Eo=5,ps=[{id:"requests",name:"Requests",of:e=>e.requests,format:$,isWhole:!0},{id:"errors",name:"Errors",of:e=>e.errors,format:$,isWhole:!0},{id:"tokens",name:"Tokens",of:e=>e.input_tokens+e.output_tokens,format:E,isWhole:!0},{id:"cost",name:"Cost",of:N,format:w,isWhole:!1},{id:"latency",name:"Duration",format:gu,isWhole:!1,isLines:!0}];function gu(e){return e===0?"0":x(e)}function Io(e){return ps.find(t=>t.id===e)}function N({cost_usd:e,unpriced_requests:t}){return t>0&&e===0?null:e}function J(e){if(e===void 0)return w(0);let t=N(e);return t===null?"unknown":e.unpriced_requests>0?`\u2265 ${w(t)}`:w(t)}function Po(e){let t=new Map;for(let{requests:s,tag:n}of e){let[,o]=/^([^:]+):./.exec(n??"")??[];o!==void 0&&t.set(o,(t.get(o)??0)+s)}return[...t].sort(([,s],[,n])=>n-s).map(([s])=>s)}function Do(e,t){let s=`${t}:`;return e.flatMap(n=>n.tag?.startsWith(s)?[{...n,tag:n.tag.slice(s.length)}]:[])}function Fo(e,t,s){let n="A request with several tags counts for each of them",o=t.reduce((i,u)=>i+u.requests,0);if(s||e===void 0||o<=e.requests)return`${n}, so the rows may add up to more than the total.`;let r=rt(...t);return`${n}: the rows add up to ${$(r.requests)} requests and ${J(r)}, all requests are ${$(e.requests)} and ${J(e)}.`}function de(e,t){return e??(t===null?"all":t==="tag"?"untagged":`no ${t.replace("_"," ")}`)}function Uo(e,t,{by:s,show:n}){let{unit:o}=t,r=Io(n),{times:i,positions:u}=jo(t),l=new Map;for(let g of e){let h=u.get(g[o]);if(h===void 0)continue;let v=g[s]??null,b=l.get(v);b===void 0&&(b={name:de(v,s),values:i.map(()=>0),sums:rt()},l.set(v,b)),b.values[h]=r.of(g),b.sums=rt(b.sums,g)}let d=({sums:g})=>r.of(g)??-1,c=[...l.values()].sort((g,h)=>d(h)-d(g)),f=c.slice(0,Eo).map(g=>No(g,r)),p=c.slice(Eo),m=rt(...c.map(({sums:g})=>g));return{metric:r,unit:o,zone:t.zone,isOpen:t.isOpen,times:Ho(i,t),unpriced:n==="cost"?m.unpriced_requests:0,series:p.length===0?f:[...f,No(vu(p),r,!0)]}}function Bo(e,t,s){let{times:n,positions:o}=jo(t),r=Lo.map(({name:i,member:u})=>({name:i,isOther:!1,isPartial:!1,total:s?.[u]??null,values:n.map(()=>null)}));for(let i of e){let u=o.get(i[t.unit]);u!==void 0&&Lo.forEach(({member:l},d)=>r[d].values[u]=i[l]??null)}return{metric:Io("latency"),unit:t.unit,zone:t.zone,isOpen:!1,times:Ho(n,t),unpriced:0,series:r}}var Lo=[{name:"p95",member:"p95_ms"},{name:"p50",member:"p50_ms"},{name:"First token, p50",member:"first_token_p50_ms"}];function jo(e){let{starts:t}=e,s=new Map(t.map((n,o)=>[Ao(n,e),o]));return{times:t,positions:s}}function Ho(e,{zone:t}){return e.map(s=>(s+Us(s,t))/1e3)}function $s(e,t){if(!t||e===null||e===void 0)return"";let s=Math.round(100*(e-t)/t);return`${s>0?"+":s<0?"\u2212":"\xB1"}${$(Math.abs(s))} %`}function No({name:e,values:t,sums:s},n,o=!1){let r=n.id==="cost"&&s.unpriced_requests>0;return{name:e,isOther:o,values:t,total:n.of(s),isPartial:r}}function vu(e){return{name:e.length===1?"1 other":`${e.length} others`,values:e[0].values.map((t,s)=>yu(e.map(n=>n.values[s]))),sums:rt(...e.map(({sums:t})=>t))}}var bu=["requests","errors","input_tokens","output_tokens","cost_usd","unpriced_requests","unused_cost_usd","cached_input_tokens"];function rt(...e){return Object.fromEntries(bu.map(t=>[t,e.reduce((s,n)=>s+(n[t]??0),0)]))}function yu(e){let t=e.filter(s=>s!==null);return t.length===0?null:t.reduce((s,n)=>s+n,0)}var wu=[{id:"name",title:"Billed by",isRisingFirst:!0,card:"a",of:e=>de(e.provider,"provider")},{id:"cost",title:"Cost",of:N,cell:J,isNumber:!0,card:"b"},{id:"unused",title:"Paid but not used",isNumber:!0,card:"d",hint:"Attempts that failed and were billed, and hedges that lost",of:e=>e.unused_cost_usd,text:w},{id:"share",title:"Of its cost",isNumber:!0,of:e=>N(e)?e.unused_cost_usd/N(e):void 0,text:e=>q(e,1)},{id:"requests",title:"Answered",isNumber:!0,card:"c",mark:"Answered",hint:"Requests that the provider answered: attempts that it bills may be more",of:e=>e.requests,text:$},{id:"input",title:"Input",of:e=>e.input_tokens,text:E,isNumber:!0},{id:"cached",title:"Cached",of:({cached_input_tokens:e})=>e,text:E,isNumber:!0},{id:"output",title:"Output",of:e=>e.output_tokens,text:E,isNumber:!0}];function Ko({entries:e,total:t}){let s=t?.unused_cost_usd??0;return a`
    <p>
      ${s>0?a`<strong>${w(s)}</strong> was paid for answers that were not used, ${q(s,N(t)??0)} of the cost.`:"Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${B} label="Cost by provider" columns=${wu} rows=${e}
      idOf=${n=>String(n.provider)} order=${{id:"cost",isRising:!1}} />
  `}var ku="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),Wo={hour:[1,2,3,6,12,24],day:[1,2,7,14,28,56,112,364]};function Go(e,t,s){let n=e[0]?.values.length??0,o=s.width/n,r=Math.min(72,Math.max(1,o*.75)),i=Array(n).fill(0),u=l=>s.top+s.height*(1-l/t);return e.map(({values:l})=>l.map((c,f)=>{if(!c)return"";let p=i[f];i[f]+=c;let m=s.left+o*(f+.5)-r/2,g=u(i[f]);return`M${fe(m)} ${fe(g)}h${fe(r)}V${fe(u(p))}h${fe(-r)}z`}).join(""))}function Xo(e,t,s){let n=s.width/(e[0]?.values.length??1);return e.map(({values:o})=>o.map((r,i)=>{if(r===null)return"";let u=fe(s.left+n*(i+.5)),l=fe(s.top+s.height*(1-r/t));return(o[i-1]??null)===null?`M${u} ${l}h0`:`L${u} ${l}`}).join(""))}var Lt={height:240,left:64,right:8,top:14,bottom:26};function Jo({course:{start:e,end:t,points:s},forecast:n,budget:o,width:r}){let{bottom:i,height:u,left:l,top:d}=Lt,c=s.at(-1),f=ms([{values:[c.usd,o??0,n?.high??0]}],{isLines:!0}),p=f.at(-1),m=r-Lt.right,g=b=>fe(l+(m-l)*(b-e)/(t-e)),h=b=>fe(d+(u-d-i)*(1-b/p)),v=`M${g(c.time)} ${h(c.usd)}`;return{ticks:f,x:g,y:h,right:m,spent:s.map(({time:b,usd:S},y)=>`${y===0?"M":"L"}${g(b)} ${h(S)}`).join(""),band:n&&`${v}L${m} ${h(n.high)}V${h(n.low)}z`,line:n&&`${v}L${m} ${h(n.usd)}`,budget:o===void 0?void 0:`M${l} ${h(o)}H${m}`}}function ms(e,{isWhole:t,isLines:s=!1}){let o=(e[0]?.values.map((d,c)=>{let f=e.map(({values:p})=>p[c]??0);return s?Math.max(...f):f.reduce((p,m)=>p+m,0)})??[]).reduce((d,c)=>Math.max(d,c),0);if(o===0)return t?[0,1]:[0,.01];let r=10**Math.floor(Math.log10(o/5)),i=[1,2,5,10].find(d=>o/(d*r)<=5)??10,u=t?Math.max(1,i*r):i*r,l=Math.ceil(o/u-1e-9);return Array.from({length:l+1},(d,c)=>Number((c*u).toPrecision(12)))}function Vo(e,t,s){let n=Math.max(1,Math.floor(s/64)),o=Wo[t].find(r=>e.length/r<=n)??Wo[t].at(-1);return e.flatMap((r,i)=>(t==="hour"?new Date(r*1e3).getUTCHours():i)%o===0?[{index:i,text:xu(r,t)}]:[])}function xu(e,t){let s=new Date(e*1e3);return t==="hour"?s.toISOString().slice(11,16):`${s.getUTCDate()} ${ku[s.getUTCMonth()]}`}function hs(e,t){let s=new Date(e*1e3).toISOString();return t==="hour"?`${s.slice(0,10)} ${s.slice(11,16)}`:s.slice(0,10)}function fe(e){return Math.round(e*10)/10}var Nt=240,ve=64,Zo=8,It=10,_u=26,Su=48;function Yo({chart:e,linkOf:t}){let[s,n]=k(null),{isOpen:o,metric:r,unit:i,times:u,series:l,unpriced:d,zone:c}=e,f=s!==null&&s<u.length?s:null;return a`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${r.name} per ${i}</strong>
        <span class="soft small">
          ${f===null?`Times in ${c}${o&&i==="day"?"; today is not over":""}`:`${hs(u[f],i)} ${c}`}
        </span>
      </figcaption>
      <${Ou} chart=${e} hovered=${f} onHover=${n} linkOf=${t} />
      <ul class="legend">
        ${l.map(({name:p,values:m,isOther:g,...h},v)=>a`
            <li key=${`${v}${p}`}>
              <span class=${`swatch ${zo(g,v)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${p}</span>
              <strong>
                ${f===null?Qo(h,r):gs(m[f],r)}
              </strong>
            </li>
          `)}
      </ul>
      ${d>0&&a`
        <p class="hint">
          The price of ${d} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${Tu} chart=${e} linkOf=${t} zone=${c} />
    </figure>
  `}function Ou({chart:e,hovered:t,onHover:s,linkOf:n}){let o=F(null),r=Le(o),{isOpen:i,metric:u,unit:l,times:d,series:c}=e,f={left:ve,top:It,width:r-ve-Zo,height:Nt-It-_u},p=f.width/d.length,m=ms(c,u),g=u.isLines?Xo:Go,h=r===0?[]:g(c,m.at(-1),f),v=y=>f.top+f.height*(1-y/m.at(-1)),b=y=>{let _=y.clientX-o.current.getBoundingClientRect().left-ve,O=Math.floor(_/p);s(O>=0&&O<d.length?O:null)},S=`${u.name} per ${l}: ${c.map(({name:y,..._})=>`${y} ${Qo(_,u)}`).join(", ")}`;return a`
    <div
      class=${u.isLines?"plot lines":"plot"}
      ref=${o}
      title="Show the requests of a period"
      onPointerMove=${b}
      onPointerLeave=${()=>s(null)}
      onClick=${()=>t!==null&&(location.hash=n(t))}
    >
      <svg
        width=${r}
        height=${Nt}
        viewBox=${`0 0 ${r} ${Nt}`}
        role="img"
        aria-label=${S}
      >
        ${t!==null&&a`
          <rect
            class="hovered"
            x=${ve+t*p}
            y=${It}
            width=${p}
            height=${f.height}
          />
        `}
        ${m.map(y=>a`
            <g key=${y}>
              <line class="grid" x1=${ve} x2=${r-Zo} y1=${v(y)} y2=${v(y)} />
              <text x=${ve-8} y=${v(y)+4} text-anchor="end">${u.format(y)}</text>
            </g>
          `)}
        ${h.map((y,_)=>a`<path key=${_} class=${zo(c[_].isOther,_)} d=${y} />`)}
        ${i&&!u.isLines&&r>0&&a`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${ve+(d.length-1)*p} y=${It} width=${p}
            height=${f.height} />
        `}
        ${r>0&&Vo(d,l,f.width).map(({index:y,text:_})=>a`
            <text
              key=${y}
              x=${ve+(y+.5)*p}
              y=${Nt-8}
              text-anchor=${(d.length-y-.5)*p<Su/2?"end":"middle"}
            >${_}</text>
          `)}
      </svg>
    </div>
  `}function gs(e,t){return e===null?t.isLines?"\u2013":"unknown":t.format(e)}function Qo({total:e,isPartial:t},s){return`${t&&e!==null?"\u2265 ":""}${gs(e,s)}`}function zo(e,t){return e?"series-other":`series-${t+1}`}function Tu({chart:{times:e,series:t,metric:s,unit:n},linkOf:o,zone:r}){let[i,u]=k(!1);return a`
    <details onToggle=${l=>u(l.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${i&&a`
        <${Ae} label=${`${s.name} per ${n}`}>
          <thead>
            <tr>
              <th scope="col">Time, ${r}</th>
              ${t.map(({name:l},d)=>a`<th key=${d} scope="col" class="number">${l}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${e.map((l,d)=>a`
                <tr key=${l}>
                  <th scope="row" class="name">
                    <a href=${o(d)}>${hs(l,n)}</a>
                  </th>
                  ${t.map(({values:c},f)=>a`
                      <td key=${f} class="number">${gs(c[d],s)}</td>
                    `)}
                </tr>
              `)}
          </tbody>
          <//>
      `}
    </details>
  `}var tr=["requests","errors","input_tokens","cached_input_tokens","output_tokens","cost_usd","unused_cost_usd","unpriced_requests"];function vs({by:e,period:{from:t,to:s,zone:n},then:o}){let r=[e,o].filter(i=>i);return`usage_${[Y(t,n),Y(s-1,n),...r].join("_")}.csv`}function sr({by:e,detailed:t,groups:s,then:n,total:o}){let r=[e,n].filter(u=>u),i=[[...r,...tr]];for(let u of t??s)i.push([...r.map(l=>de(u[l],l)),...er(u)]);return i.push([...r.map((u,l)=>l===0?"Total":""),...er(o??{})]),i.map(u=>u.map(Cu).join(",")+`
`).join("")}function er(e){return tr.map(t=>e[t]??(t==="cost_usd"?"":0))}function Cu(e){if(typeof e=="number")return String(e);let t=/^[=+\-@\t\r]/.test(e)?`'${e}`:e;return/[",;\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t}function nr({data:e}){let t=e.detailed??e.groups,s=e.hasMore?`the first ${$(t.length)} rows`:`${$(t.length)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${vs(e)}
      onClick=${()=>yt(vs(e),sr(e))}>CSV, ${s}</button>
  `}var qu={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"};function or({choice:e,session:t,onChange:s}){let[n,o]=k(e),r=wt(t),i=ce.map(c=>e[c]).join(`
`);H(()=>o(e),[i]);let u=(c,f)=>{let p=f.trim();p!==e[c]&&s({[c]:p,...p!==""&&Mu(c,e)})},l=new Set(["key","team","owner"]),d=ce.filter(c=>!l.has(c)||t.hasAdmin);return a`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${c=>c.preventDefault()}
    >
      ${d.map(c=>a`
          <div class="field" key=${c}>
            <label for=${`usage-${c}`}>${qu[c]}</label>
            <input
              id=${`usage-${c}`}
              type="text"
              aria-keyshortcuts=${c==="model"?"Alt+Shift+F":void 0}
              autocomplete="off"
              spellcheck=${!1}
              placeholder="All"
              list=${`usage-${c}-values`}
              value=${n[c]}
              onFocus=${()=>r.load(c)}
              onInput=${f=>o({...n,[c]:f.target.value})}
              onChange=${f=>u(c,f.target.value)}
              onKeyDown=${f=>f.key==="Enter"&&u(c,f.target.value)}
            />
            <datalist id=${`usage-${c}-values`}>
              ${r.of(c).map(f=>a`<option key=${f} value=${f} />`)}
            </datalist>
          </div>
        `)}
      ${i.trim()!==""&&a`
        <button type="button" class="quiet" onClick=${()=>s(Object.fromEntries(ce.map(c=>[c,""])))}>Clear</button>
      `}
    </form>
  `}function Mu(e,{by:t}){let s=e==="tag"?"end_user":e==="end_user"?"tag":void 0;return s&&{[s]:"",...t===s&&{by:"model"}}}function Pt({filters:e={},period:t}){let s=Object.entries(e).map(([n,o])=>`${n.replace("_"," ")} ${o}`);return a`
    <p class="only-print">
      ${[`${X(t.from)} to ${X(Math.min(t.to,P()))}`,...s].join(", ")}
    </p>
  `}var Au=864e5,Ru=7,Eu=3;function ir({spent:e,costs:t,now:s,zone:n,since:o=-1/0}){let r=Z(s,n),i=[];for(let p=1;p<=Ru;p++){let m=Z(r,n,-p);if(m<o)break;i.push(t.get(Y(m,n))??0)}if(i.length<Eu)return;let l=(me(s,n,1)-s)/Au,d=i.toSorted((p,m)=>p-m),c=i.reduce((p,m)=>p+m,0)/i.length,f=p=>e+p*l;return{usd:f(c),low:f(rr(d,.1)),high:f(rr(d,.9)),mean:c,left:l,days:i.length}}function ar({spent:e,costs:t,now:s,zone:n}){let[o,r]=[me(s,n),me(s,n,1)],i=[{time:o,usd:0}];for(let u=o;u<Z(s,n);){let l=i.at(-1).usd+(t.get(Y(u,n))??0);u=Z(u,n,1),i.push({time:u,usd:l})}return{start:o,end:r,points:[...i,{time:s,usd:e}]}}function ur(e,t,s){let n=new Map(e.filter(r=>r.status==="active"&&r.budget?.per==="month"&&["team","owner"].every(i=>s[i]===""||r[i]===s[i])&&(s.key===""||r.name===s.key)).map(({budget:r,name:i})=>[i,r.usd]));if(!(t.some(r=>r.cost_usd>0&&!n.has(r.key))||n.size===0))return[...n.values()].reduce((r,i)=>r+i,0)}function rr(e,t){let s=t*(e.length-1),[n,o]=[e[Math.floor(s)],e[Math.ceil(s)]];return n+(o-n)*(s-Math.floor(s))}function lr(e){let{budget:t,forecast:s,isMonth:n,now:o,rangeName:r,requests:i,spent:u,unpriced:l,zone:d}=e;if(i===0)return{title:`No requests: ${r.toLowerCase()}`,text:""};let c=u??0,f=l>0?"at least ":"";if(!n)return{title:`${r}: ${u===null?"an unknown cost":`${f}${w(c)}`}`,text:`${$(i)} requests.`};let p=Ce(d,{month:"long"}).format(o);if(s===void 0)return{title:`${p} has cost ${f}${w(c)} so far`,text:"A forecast needs three full days."};let m=t===void 0?0:s.usd-t,g=t===void 0?"":m>0?`, ${V(m)} over the budgets`:`, ${V(-m)} under the budgets`;return{title:`${p} will end near ${f}${V(s.usd)}${g}`,text:`${w(c)} is spent. The forecast adds the mean of the last ${s.days} full days, ${w(s.mean)}, for the ${s.left.toFixed(1)} days that are left; it lies between ${V(s.low)} and ${V(s.high)}.`}}function V(e){return e<100?w(e):`$${$(Number(e.toPrecision(3)))}`}var Lu=new Set(["(other)","(unreadable)"]);function cr(e,{from:t,to:s},n={}){let o=Object.entries(De(e)).filter(([r])=>Je.includes(r));return M($t({...ae,...Object.fromEntries(o),...n},t,s))}function bs(e,t,s,n,o=""){if(!(n==null||Lu.has(n)))return Je.includes(s)?cr(e,t,{[s]:n,status:o}):Fe({...e,[s]:n,by:"key",then:""})}function dr(e,{end:t,starts:s},n){return cr(e,{from:s[n],to:s[n+1]??t})}var Nu=2e4,Iu=8;function fr(e,t,s){let n=De(t),o=m=>{let g=async(v,b,S=s)=>{let y={...Et(b,S),...n,...v!==""&&{group_by:v}},{parts:_,hasMore:O}=await Ie(async I=>{let{data:R,next:re}=await T(U(e,"usage",{...y,...I}),{signal:m});return{part:R,next:re}});return{entries:_.flat(),hasMore:O}},h=()=>e.hasAdmin?Promise.all([dt({},m),g("key",Ue(t,P(),s))]).then(([v,{entries:b}])=>ur(v,b,t)).catch(()=>{}):T("/v1/usage?from=2100-01-01&to=2100-01-02",{signal:m}).then(({budget:v})=>Hu(v)?v.limit_usd:void 0);return Pu({choice:t,get:g,now:P(),zone:s,budgets:h})},{by:r,from:i,prefix:u,range:l,show:d,then:c,to:f}=t,p=[e.hasAdmin,l,i,f,r,c,u,s,d==="latency"];return L(o,[...p,JSON.stringify(n)])}async function Pu({choice:e,get:t,now:s,zone:n,budgets:o}){let{by:r,then:i}=e,u=Ue(e,s,n),l=e.show==="latency",d=e.range==="month",c=d?{from:Math.min(u.from,Z(s,n,-Iu)),to:s+1}:void 0,f=d&&ju.every(Q=>e[Q]===""),[p,m,g,h,v,b,S]=await Promise.all([t("",u),t(r,u),i===""?void 0:t(`${r},${i}`,u),t("model,provider",u),c&&t("day",c),Uu(e,t,u),f?o():void 0]),y=m.entries.length*u.starts.length,_=m.hasMore||y>Nu,O=await t(_||l?u.unit:`${u.unit},${r}`,u),I=p.entries[0],R=I===void 0?0:N(I),re=new Map((v?.entries??[]).map(Q=>[Q.day,N(Q)??0])),lt={spent:R??0,costs:re,now:s,zone:n},Cs=v&&ir({...lt,since:b.since}),Vt=Q=>r==="tag"&&e.prefix!==""?Do(Q,e.prefix):Q;return{total:I,period:u,choice:e,by:r,then:i,isLatency:l,isTogether:_,budget:S,forecast:Cs,course:d?ar(lt):void 0,headline:{spent:R,forecast:Cs,budget:S,now:s,zone:n,isMonth:d,requests:I?.requests??0,unpriced:I?.unpriced_requests??0},groups:Vt(m.entries),hasMore:m.hasMore,detailed:g&&Vt(g.entries),prefixes:r==="tag"?Po(m.entries):[],series:_||l?O.entries:Vt(O.entries),compared:b.result,bill:Du(h.entries),unpriced:h.entries.filter(({unpriced_requests:Q})=>Q>0).sort((Q,ai)=>ai.unpriced_requests-Q.unpriced_requests)}}function Du(e){return[...Map.groupBy(e,({provider:t})=>t)].map(([t,s])=>({...Fu(s),provider:t}))}function Fu(e){let t={};for(let s of e)for(let[n,o]of Object.entries(s))typeof o=="number"&&(t[n]=(t[n]??0)+o);return{cost_usd:0,...t}}async function Uu(e,t,s){let n=Ro(e,s),o=me(s.from,s.zone,-12),[r]=(await t("day",{from:o,to:s.to},"UTC")).entries.map(({day:c})=>c).sort(),i=r===void 0?s.to:Date.parse(r);if(n===void 0||i>n.before.from)return{since:i,result:void 0};let[u,l]=await Promise.all([t("",n.now),t("",n.before)]),d=u.entries[0]&&l.entries[0]?{now:u.entries[0],before:l.entries[0],name:Bu(n.before,s.zone)}:void 0;return{since:i,result:d}}function Bu({from:e,to:t},s){return Ce(s,{day:"numeric",month:"short"}).formatRange(e,t-1)}var ju=["model","provider","tag","end_user"];function Hu(e){return e?.renews_at?Date.parse(e.renews_at)-Date.parse(e.period_start)>27*864e5:!1}var pr=14;function $r({data:{budget:e,course:t,forecast:s,period:{zone:n}}}){let o=F(null),r=Le(o),{start:i,end:u,points:l}=t,{height:d,left:c,top:f}=Lt,{right:p,ticks:m,x:g,y:h,...v}=Jo({course:t,forecast:s,budget:e,width:r}),b=Ce(n,{day:"numeric",month:"short"}),S=l.at(-1),y=[i,(i+u)/2,u-1],_=[`${w(S.usd)} on ${b.format(S.time)}`,s&&`forecast ${V(s.usd)} on ${b.format(u-1)}, between ${V(s.low)} and ${V(s.high)}`,e!==void 0&&`the budget is ${w(e)}`].filter(Boolean).join("; ");return a`
    <figure class="card chart month-chart">
      <figcaption class="row spread">
        <strong>Cost of the month</strong>
        <span class="soft small">
          ${s?`Forecast of ${b.format(u-1)}: ${V(s.usd)}`:`Until ${b.format(S.time)}, ${n}`}
        </span>
      </figcaption>
      <div class="plot" ref=${o}>
        <svg width=${r} height=${d} viewBox=${`0 0 ${r} ${d}`} role="img"
          aria-label=${_}>
          ${m.map(O=>a`
              <g key=${O}>
                <line class="grid" x1=${c} x2=${p} y1=${h(O)} y2=${h(O)} />
                <text x=${c-8} y=${h(O)+4} text-anchor="end">${w(O)}</text>
              </g>
            `)}
          ${y.map((O,I)=>a`
              <text key=${Y(O,n)} x=${g(O)} y=${d-8}
                text-anchor=${["start","middle","end"][I]}>${b.format(O)}</text>
            `)}
          ${v.band&&a`<path class="band" d=${v.band} />`}
          ${v.budget&&a`<path class="budget-line" d=${v.budget} />`}
          <path class="spent" d=${v.spent} />
          ${v.line&&a`<path class="forecast" d=${v.line} />`}
          ${v.budget&&a`
            <text x=${c+4} y=${h(e)+(h(e)<f+pr?pr:-4)}
            >Budget ${w(e)}</text>
          `}
        </svg>
      </div>
      ${s===void 0&&a`<p class="hint">A forecast needs three full days.</p>`}
    </figure>
  `}var Ku=[{name:"input",label:"US dollars per million input tokens"},{name:"output",label:"US dollars per million output tokens"},{name:"cached_input",label:"Per million cached input tokens",isOptional:!0}];function mr(e){let t=Re([e]).map(({per:o,setting:r})=>({name:r,label:`US dollars per ${o}`})),s=t.length===0||e.input_tokens+e.output_tokens>0,n=Ku.map(o=>t.length>0?{...o,isOptional:!0}:o);return[...t,...s?n:[]]}function hr({data:e,targets:t},s,n){let o=(e.find(({id:i})=>i===s)?.steps??[]).flatMap(i=>i.targets).filter(i=>i.provider===n).map(({upstream:i})=>i),r=t.filter(i=>i.provider===n&&o.includes(i.upstream));return r.length>0?r.map(({id:i})=>i):s===null?[]:[s]}function gr(e,t,s,n,o){let r=e.find(({path:p})=>p[0]==="providers"&&p[1]===t);if(r===void 0||s===void 0)return{fault:"config.yaml has no such provider: change its text."};let i=r.fields.find(({path:p})=>p.length===1&&p[0]==="models");if(i?.items===void 0)return{fault:"The provider has no list of models: name the model in 'models' first."};let u=n.map(({isOptional:p,name:m})=>[m,o[m]??"",p]);if(!u.every(([,p,m])=>/^\d+(\.\d+)?$/.test(p)||m&&p===""))return{};let d=Object.fromEntries(u.filter(([,p])=>p!=="").map(([p,m])=>[p,Number(m)])),c=i.items.findIndex(({name:p})=>p===s),f=[...r.path,"models",c===-1?i.items.length:c];return c!==-1&&i.items[c].is_text?{edits:[{path:[...f,"prices"],value:d}]}:{edits:[{path:f,value:{id:s,prices:d}}]}}var ys=20;function vr({entries:e,canSet:t}){let[s,n]=k(void 0),[o,r]=k([]),i=t&&e.length>0,{data:u}=L(async f=>i?await T("/v1/admin/config",{signal:f}):void 0,[i]);if(e.length===0)return null;let l=new Set(e.map(({model:f})=>f)).size,d=e.reduce((f,p)=>f+p.unpriced_requests,0),c=u?.editable===!1?u.read_only_reason:void 0;return a`
    <section class="to-do stack" aria-labelledby="to-do-title">
      <h2 id="to-do-title">${$(l)} ${l===1?"model has":"models have"} no price</h2>
      <p>${$(d)} ${d===1?"request is":"requests are"} not in these sums.${c&&a`<span class="soft"> ${c}.</span>`}</p>
      <ul class="price-list">
        ${e.slice(0,ys).map(f=>a`
            <li key=${ws(f)}>
              <span class="wrap-anywhere"><code>${f.model??"(no model)"}</code>
                <span class="soft"> at ${f.provider??"no provider"}, ${$(f.unpriced_requests)} ${f.unpriced_requests===1?"request":"requests"}</span></span>
              ${o.includes(ws(f))?a`<span class="soft">Requests have a cost from now on.</span>`:t&&a`
                  <button type="button" class="small" title=${c}
                    disabled=${!u||c!==void 0}
                    onClick=${()=>n(f)}
                    aria-label=${`Set a price of ${f.model} at ${f.provider}`}
                  >Set a price</button>
                `}
            </li>
          `)}
      </ul>
      ${e.length>ys&&a`
        <p class="soft">And ${$(e.length-ys)} more.</p>
      `}
      ${s&&a`
        <${Gu} entry=${s} onClose=${()=>n(void 0)}
          onSaved=${()=>{r([...o,ws(s)]),n(void 0)}} />
      `}
    </section>
  `}function ws({model:e,provider:t}){return JSON.stringify([e,t])}async function Wu({model:e,provider:t},s){let[n,o]=await Promise.all([T("/v1/admin/config",{signal:s}),T("/v1/admin/routes",{signal:s})]),r=n.file_text??n.text,{objects:i}=await T("/v1/admin/config/form",{body:{text:r,edits:[]},signal:s});return{config:n,base:r,objects:i,targets:hr(o,e,t)}}function Gu({entry:e,onSaved:t,onClose:s}){let n=Es("price"),[o,r]=k(0),{data:i,error:u}=L(y=>Wu(e,y),[o]),[l,d]=k(void 0),[c,f]=k({}),[p,m]=k({}),g=mr(e),h=i?.targets.find(y=>y===l)??i?.targets[0],{edits:v,fault:b}=i?gr(i.objects,e.provider,h,g,c):{};if(p.text!==void 0)return a`
      <${en} config=${i.config} base=${i.base} text=${p.text}
        onSaved=${t} onClose=${s} onReload=${()=>{r(o+1),m({})}} />
    `;let S=async y=>{y.preventDefault();try{let _={text:i.base,edits:v};m(await T("/v1/admin/config/form",{body:_}))}catch(_){m({error:_})}};return a`
    <${K} title=${`Set a price of ${e.model}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${S}>
        <${C} error=${u??p.error} title="The price cannot be set" />
        ${!i&&!u&&a`<${A} />`}
        ${i?.targets.length>1&&a`
          <div class="field">
            <label for=${n}>Model in config.yaml</label>
            <select id=${n} value=${h} onChange=${y=>d(y.target.value)}>
              ${i.targets.map(y=>a`<option key=${y} value=${y}>${y}</option>`)}
            </select>
          </div>
        `}
        ${i&&b&&a`<p class="fault">${b}</p>`}
        ${g.map(({label:y,name:_,isOptional:O})=>a`
            <div class="field" key=${_}>
              <label for=${`${n}-${_}`}>${y}${O?", if it differs":""}</label>
              <input id=${`${n}-${_}`} type="text" inputmode="decimal" autocomplete="off"
                value=${c[_]??""} required=${!O}
                pattern="\\d{1,9}([.]\\d{1,9})?"
                onInput=${I=>f({...c,[_]:I.target.value})} />
            </div>
          `)}
        <p class="hint">Requests have a cost from then on; earlier ones still have none.</p>
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          <button type="submit" class="primary" disabled=${!v}>Review the change</button>
        </div>
      </form>
      <//>
  `}var br={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"},ks=e=>({of:t=>t[e],text:E,isNumber:!0});function Xu(e,t){let s=e?N(e)??0:0;return[{id:"cost",title:"Cost",of:N,cell:J,isNumber:!0,card:"b"},{id:"share",title:"Share",isNumber:!0,card:"d",of:n=>s>0?(N(n)??0)/s:void 0,cell:n=>q(N(n)??0,s)},{id:"requests",title:"Requests",isNumber:!0,card:"c",mark:"Requests",of:n=>n.requests,text:$},{id:"errors",title:"Errors",isNumber:!0,of:n=>n.errors||null,cell:n=>{let o=t(n,"error");return o?a`<a href=${o}>${$(n.errors)}</a>`:$(n.errors)}},{id:"input",title:"Input",hint:"Input tokens",...ks("input_tokens")},{id:"cached",title:"Cached",hint:"Cached input",...ks("cached_input_tokens")},{id:"output",title:"Output",hint:"Output tokens",...ks("output_tokens")},...ht.map(n=>({...n,isNumber:!0,of:o=>o[n.id]||null})),{id:"unused",title:"Not used",isNumber:!0,hint:"Cost of attempts whose answer was not used",of:n=>n.unused_cost_usd||null,text:w},{id:"p50",title:"p50",of:({p50_ms:n})=>n,text:x,isNumber:!0},{id:"p95",title:"p95",of:({p95_ms:n})=>n,text:x,isNumber:!0}]}function Ju({cell:e,of:t,text:s},n){let o=t(n);return As(o)?"\u2013":e?.(n)??s(o)}function yr({entries:e,detailed:t,by:s,then:n,total:o,linkOf:r}){let[i,u]=k({id:"cost",isRising:!1}),l=br[s]+(n===""?"":`, ${br[n].toLowerCase()}`),d=[{id:"name",title:l,isRisingFirst:!0,card:"a",...o&&{foot:"All"},of:({isSub:f,...p})=>de(p[f?n:s],f?n:s)},...Xu(o,r).map(f=>({...f,...o&&{foot:Ju(f,o)}}))],c=W(()=>{let f=d.find(({id:g})=>g===i.id),p=Zt(e,f,i.isRising);if(t===void 0)return p;let m=Map.groupBy(t,g=>g[s]);return p.flatMap(g=>[g,...Zt((m.get(g[s])??[]).map(h=>({...h,isSub:!0})),f,i.isRising)])},[e,t,i]);return a`
    <${B} label=${`Usage by ${l.toLowerCase()}`} columns=${d} rows=${c}
      idOf=${f=>JSON.stringify([f[s],f.isSub?f[n]:void 0])}
      hrefOf=${f=>f.isSub?void 0:r(f)}
      classOf=${({isSub:f})=>f?"sub":""} order=${i} onOrder=${u} />
  `}var Vu=.05;function wr({data:e}){let{budget:t,compared:s,forecast:n,total:o}=e,{requests:r=0,errors:i=0,input_tokens:u=0,output_tokens:l=0}=o??{},d=o?N(o):0;return a`
    <dl class="figure-grid card">
      <${D} label="Cost" value=${J(o)}
        note=${Zu(t!==void 0&&`${q(d??0,t)} of ${w(t)}`,o?.unpriced_requests>0&&`${$(o.unpriced_requests)} with an unknown price`)} tone=${t!==void 0&&d>t?"bad":""} />
      ${n&&a`
        <${D} label="Forecast" value=${V(n.usd)}
          note=${`${V(n.low)} to ${V(n.high)}`} />
      `}
      ${s&&a`
        <${D} label=${`Against ${s.name}`} value=${$s(N(s.now),N(s.before))||"\u2013"}
          note=${`${J(s.now)} against ${J(s.before)}, full days`} />
      `}
      <${D} label="Requests" value=${$(r)}
        note=${s&&$s(s.now.requests,s.before.requests)} />
      <${D} label="Errors" value=${$(i)}
        note=${i>0?`${(100*i/r).toFixed(1)} % of requests`:""}
        tone=${i>r*Vu?"bad":""} />
      <${D} label="Input tokens" value=${E(u)} note=${Yu(o)} />
      <${D} label="Output tokens" value=${E(l)} note=${Qu(o)} />
      ${Re([o]).map(({id:c,title:f,text:p})=>a`<${D} key=${c} label=${f} value=${p(o[c])} />`)}
      <${D} label="Duration, p50" value=${r>0?x(o.p50_ms):"\u2013"}
        note=${r>0?`p95 ${x(o.p95_ms)}`:""} />
    </dl>
  `}function Zu(...e){return e.filter(t=>t).join(", ")}function Yu(e){return e?.cached_input_tokens>0?`${E(e.cached_input_tokens)} cached`:""}function Qu(e){let t=e?.estimated_requests??0;return t>0?`${$(t)} requests estimated`:""}var zu=[["model","Model"],["provider","Provider"],["team","Team"],["owner","Owner"],["key","Key"],["tag","Tag"],["end_user","End user"]],kr=["tag","end_user"],el=["team","owner","key"];function Dt(e,t,s=""){let n=kr.filter(o=>t[o]!==""||o===s);return zu.filter(([o])=>(e.hasAdmin||!el.includes(o))&&o!==s&&(!kr.includes(o)||n.every(r=>r===o)))}function tl(e,t){let s=(r,i)=>r.some(([u])=>u===i),n=s(Dt(e,t),t.by)?t.by:"model",o=s(Dt(e,t,n),t.then)?t.then:"";return{...t,by:n,then:o}}function _r({route:e}){let t=G(),s=vt(),n=tl(t,Rt(e.query)),{data:o,error:r,isLoading:i,reload:u}=fr(t,n,s),l=f=>location.hash=Fe({...n,...f}),{title:d,text:c}=o?lr({...o.headline,rangeName:ct(n,s)}):{title:"Usage",text:""};return a`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${d}</h1>
          <p class="soft">${c} ${t.hasAdmin?"All keys.":"Usage of your key."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${u}
            disabled=${i}>Refresh</button>
          ${o&&a`<${nr} data=${o} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>
            Print
          </button>
        </div>
      </header>
      <${or} choice=${n} session=${t} onChange=${l} />
      ${o&&a`<${Pt} filters=${De(n)} period=${o.period} />`}
      <${C} error=${r} title="No usage" />
      ${!o&&!r&&a`<${A} text="Loading the usage" />`}
      ${o&&a`
        <div class=${`stack wide ${i?"stale":""}`}>
          <${wr} data=${o} />
          <${vr} entries=${o.unpriced} canSet=${t.hasAdmin} />
          <div class="row no-print"><${$e} label="Kind of report" value=${n.tab}
            options=${[["use","By use"],["bill","By bill"]]}
            onChange=${f=>l({tab:f})} /></div>
          ${o.groups.length===0?a`<div class="card empty">No request has ended in this period.</div>`:n.tab==="bill"?a`<${Ko} entries=${o.bill} total=${o.total} />`:a`
              <${sl} data=${o} choice=${n} session=${t} onChange=${l} />
            `}
        </div>
      `}
    </div>
  `}function sl({data:e,choice:t,session:s,onChange:n}){let{by:o,detailed:r,groups:i,hasMore:u,isLatency:l,isTogether:d,period:c,series:f,then:p,total:m}=e,g=l?Bo(f,c,m):Uo(f,c,{by:d?null:o,show:xr(t)}),h=e.course!==void 0&&xr(t)==="cost",v=(b,S)=>e.choice.prefix===""?bs(e.choice,c,o,b[o],S):bs(e.choice,c,o,`${e.choice.prefix}:${b[o]}`,S);return a`
    <div class="row spread no-print">
      <div class="row">
        <${$e} label="Group by" value=${t.by} options=${Dt(s,t)}
          onChange=${b=>n({by:b,prefix:""})} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${t.then}
            onChange=${b=>n({then:b.target.value})}>
            <option value="">nothing</option>
            ${Dt(s,t,t.by).map(([b,S])=>a`<option key=${b} value=${b}>${S}</option>`)}
          </select>
        ${o==="tag"&&e.prefixes.length>0&&a`
          <span class="small soft">of</span>
          <select class="inline" aria-label="Prefix of tags" value=${t.prefix}
            onChange=${b=>n({prefix:b.target.value})}>
              <option value="">all tags</option>
              ${e.prefixes.map(b=>a`<option key=${b} value=${b}>${b}:</option>`)}
            </select>
        `}
      </div>
      <${$e} label="Figure of the chart" value=${t.show}
        options=${ps.map(({id:b,name:S})=>[b,S])}
        onChange=${b=>n({show:b})} />
    </div>
    <div class=${h?"usage-charts":""}>
      <${Yo} chart=${g} linkOf=${b=>dr(e.choice,c,b)} />
      ${h&&a`<${$r} data=${e} />`}
    </div>
    ${d&&!l&&a`
      <p class="hint">
        There are ${u?"more than ":""}${$(i.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${o==="tag"&&a`<p class="hint">${Fo(m,i,u)}</p>`}
    <section>
      <${yr} entries=${i} detailed=${r} by=${o} then=${p}
        total=${m}
        linkOf=${v} />
    </section>
  `}function xr({show:e}){return e==="latency"?"requests":e}var Pr={};ke(Pr,{default:()=>Ir});var Or=Object.fromEntries(["requests","input_tokens","cached_input_tokens","cache_write_tokens","cost_usd","unpriced_requests","saved_usd","cache_write_usd","unpriced_cached_requests","response_cache_hits","response_cache_misses","response_cache_saved_usd","unpriced_response_cache_hits","queued_requests","queued_ms","hedged_requests","hedge_usd","unpriced_hedges","price_ordered_requests","price_order_saved_usd","unpriced_price_orders","affinity_hits","affinity_moves","affinity_starts","affinity_input_tokens","affinity_cached_input_tokens","affinity_saved_usd"].map(e=>[e,0]));function z(e){let{saved_usd:t,cache_write_usd:s,response_cache_saved_usd:n,hedge_usd:o}=e,{price_order_saved_usd:r}=e,i=t-n;return{prompt:i,reads:i+s,writes:s,response:n,order:r,hedges:o,net:t+r-o,unknown:e.unpriced_cached_requests+e.unpriced_response_cache_hits+e.unpriced_hedges+e.unpriced_price_orders}}function Tr(e){let t=N(e),{net:s,unknown:n}=z(e);return t===null||n>0||e.unpriced_requests>0?null:t+s>0?s/(t+s):null}function Cr(e){return{input:e.input_tokens-e.affinity_input_tokens,cached:e.cached_input_tokens-e.affinity_cached_input_tokens}}function qr(e){return e.affinity_hits+e.affinity_moves+e.affinity_starts}function Mr(e){let{hedges:t,net:s,order:n,prompt:o,response:r}=z(e);return`${w(s)} is ${w(o)} of prompt caching, ${w(r)} of the response cache and ${w(n)} of the cheapest target first, less ${w(t)} for hedges. Sessions that stay are a part of prompt caching.`}var Ar={prompt:{text:"On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. Most other vendors cache automatically.",config:`routing:
  prompt_caching: auto`},sessions:{text:"Sends the requests of a session to the target whose cache has its prompt.",config:`routing:
  affinity: { ttl: auto }`},order:{text:"Tries the cheapest of equal targets first. A nested list is a group of equals.",config:`aliases:
  cheapest:
    targets: [[model-a, model-b]]
    balance: price`},response:{text:"Answers equal requests with a temperature of 0 from memory, for each key separately.",config:`routing:
  cache: { ttl: 5m }`},hedges:{text:"Sends the request to a second target if the first one takes unusually long. It costs money and saves time.",config:`routing:
  hedge: { after: p90, share: 5%, usd_per_hour: 2 }`},queue:{text:"Requests wait for a limit instead of getting a 429.",config:`routing:
  queue: { max_wait: 20s }`}};function Rr({total:e}){let t=z(e);return a`
    <div class="saving-grid">
      <${nl} total=${e} amounts=${t} />
      <${ol} total=${e} />
      <${rl} total=${e} amounts=${t} />
      <${il} total=${e} amounts=${t} />
      <${al} total=${e} amounts=${t} />
      <${ul} total=${e} />
    </div>
  `}function nl({total:e,amounts:t}){let{cached_input_tokens:s,cache_write_tokens:n,input_tokens:o}=e;return a`
    <${Be}
      id="prompt"
      title="Prompt caching"
      isUsed=${s+n>0}
      value=${w(t.prompt)}
      what="saved, less the cost of writes"
      facts=${[["Reads saved",w(t.reads)],["Writes cost",w(t.writes)],["Cached input",`${q(s,o)}, ${E(s)} of ${E(o)}`],["Written",`${E(n)} tokens`],Ft(e.unpriced_cached_requests)]}
      basis="The vendors' token counts, at their prices."
    />
  `}function ol({total:e}){let{affinity_hits:t,affinity_moves:s,affinity_starts:n}=e,o=Cr(e);return a`
    <${Be}
      id="sessions"
      title="Sessions that stay"
      isUsed=${qr(e)>0}
      value=${w(e.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[["Stayed",Er(t)],["Moved",$(s)],["Started",$(n)],["Cached, if stayed",q(e.affinity_cached_input_tokens,e.affinity_input_tokens)],["Cached, others",q(o.cached,o.input)]]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `}function rl({total:e,amounts:t}){return a`
    <${Be}
      id="order"
      title="Cheapest first"
      isUsed=${e.price_ordered_requests>0}
      value=${w(t.order)}
      what="saved"
      facts=${[["Requests",$(e.price_ordered_requests)],Ft(e.unpriced_price_orders)]}
      basis="Estimated: the same tokens at the first target in the order of config.yaml."
    />
  `}function il({total:e,amounts:t}){let{response_cache_hits:s,response_cache_misses:n}=e;return a`
    <${Be}
      id="response"
      title="Response cache"
      isUsed=${s+n>0}
      value=${w(t.response)}
      what="saved"
      facts=${[["Hits",`${$(s)}, ${q(s,s+n)}`],["Misses",$(n)],Ft(e.unpriced_response_cache_hits)]}
      basis="What each answer cost when it was made."
    />
  `}function al({total:e,amounts:t}){let{hedged_requests:s,requests:n}=e;return a`
    <${Be}
      id="hedges"
      title="Hedges"
      isUsed=${s>0}
      value=${w(t.hedges)}
      what="spent"
      tone=${t.hedges>0?"warn":""}
      facts=${[["Requests",`${$(s)}, ${q(s,n)}`],Ft(e.unpriced_hedges)]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `}function ul({total:e}){let{queued_requests:t,queued_ms:s}=e;return a`
    <${Be}
      id="queue"
      title="Queue"
      isUsed=${t>0}
      value=${$(t)}
      what="requests waited"
      facts=${[["Average wait",x(t===0?0:s/t)],["All waits",x(s)]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `}function Er(e){return e===1?"1 request":`${$(e)} requests`}function Ft(e){return e>0?["Unknown price",`${Er(e)}, not included`]:void 0}function Be({id:e,title:t,isUsed:s,value:n,what:o,tone:r="",facts:i,basis:u}){return a`
    <section class=${`card saving figure ${r}`} aria-labelledby=${`saving-${e}`}>
      <h2 id=${`saving-${e}`}>${t}</h2>
      ${s?a`
          <p class="figure-line">
            <span class="figure-value">${n}</span>
            <span class="figure-note">${o}</span>
          </p>
          <${ee} class="saving-facts" facts=${i.filter(l=>l)} />
          <p class="hint">${u}</p>
        `:a`<${ll} id=${e} />`}
    </section>
  `}function ll({id:e}){let{text:t,config:s}=Ar[e];return a`
    <p class="soft">No request used it in this period.</p>
    <p class="hint">${t}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${s}</pre>
      <${te} text=${s} label="Copy the settings" isIcon=${!0} class="quiet small" />
    </div>
  `}var cl={model:"Alias or model",provider:"Provider",key:"Key"},dl=[{id:"net",title:"Net saved",isNumber:!0,card:"b",hint:"Prompt caching, response cache and cheapest first, less hedges",of:e=>z(e).net,cell:e=>{let{net:t,unknown:s}=z(e);return`${w(t)}${s>0?" and unknown":""}`}},...[["prompt","Prompt caching","Cached input at its price, less the cost of writes"],["response","Response cache","The cost of the answers when they were made"],["order","Cheapest first, est.","Against the first target of config.yaml"],["hedges","Hedges cost","Attempts whose answer was not used"]].map(([e,t,s])=>({id:e,title:t,hint:s,isNumber:!0,text:w,of:n=>z(n)[e]||void 0})),{id:"cached",title:"Cached input",isNumber:!0,card:"c",mark:"cached",of:e=>e.input_tokens===0?void 0:e.cached_input_tokens/e.input_tokens,text:e=>q(e,1)},{id:"requests",title:"Requests",isNumber:!0,text:$,of:e=>e.requests},{id:"cost",title:"Cost",of:N,cell:J,isNumber:!0,card:"d"}];function Lr({entries:e,hasMore:t,by:s}){let n=[{id:"name",title:cl[s],of:o=>de(o[s],s),isRisingFirst:!0},...dl];return a`
    <${B} label=${`Savings by ${s}`} columns=${n} rows=${e}
      idOf=${o=>String(o[s])} order=${{id:"net",isRising:!1}} />
    ${t&&a`<p class="hint">The first ${$(e.length)}.</p>`}
  `}var Nr=[["model","Alias or model"],["provider","Provider"],["key","Key"]];function Ir({route:e}){let t=G(),s=t.hasAdmin?Nr:Nr.filter(([p])=>p!=="key"),n=Rt(e.query),r=s.some(([p])=>p===n.by)?n:{...n,by:"model"},i=vt(),{data:u,error:l,isLoading:d,reload:c}=fl(t,r,i),f=p=>location.hash=Fe({...r,...p},"savings");return a`
    <div class="view" data-view="savings">
      <${se}
        title=${u?.total?pl(u.total):"Savings"}
        note=${t.hasAdmin?"Requests of all keys.":"Requests of your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${c} disabled=${d}>Refresh</button>
        <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>Print</button>
      <//>
      ${u&&a`<${Pt} period=${Ue(r,P(),i)} />`}
      <${C} error=${l} title="No savings" />
      ${!u&&!l&&a`<${A} text="Loading the savings" />`}
      ${u&&a`
        <div class=${`stack wide ${d?"stale":""}`}>
          ${u.total&&a`
            <${$l} total=${u.total} />
            <p class="soft small">${Mr(u.total)}</p>
          `}
          ${!u.total&&a`
            <p class="card empty">No request has ended in this period.</p>
          `}
          <${Rr} total=${u.total??Or} />
          ${u.total&&a`
            <div class="row no-print">
              <${$e}
                label="Group by"
                value=${r.by}
                options=${s}
                onChange=${p=>f({by:p})}
              />
            </div>
            <${Lr} entries=${u.groups} hasMore=${u.hasMore} by=${u.by} />
          `}
        </div>
      `}
    </div>
  `}function fl(e,t,s){let{range:n,from:o,to:r,by:i}=t;return L(async l=>{let d=Et(Ue(t,P(),s),s),c=m=>T(U(e,"usage",{...d,...m}),{signal:l}),[f,p]=await Promise.all([c({}),Ie(async m=>{let{data:g,next:h}=await c({group_by:i,...m});return{part:g,next:h}})]);return{total:f.data[0],groups:p.parts.flat(),hasMore:p.hasMore,by:i}},[e.hasAdmin,n,o,r,i,s])}function pl(e){let{net:t}=z(e),s=Tr(e);if(t<0)return`Spent ${w(-t)} more than was saved`;let n=s===null?"":`, ${q(s,1)} of what it would have cost`;return`Saved ${w(t)}${n}`}function $l({total:e}){let{net:t,unknown:s}=z(e);return a`
    <dl class="figure-grid card">
      <${D} label="Saved, net" value=${w(t)}
        note=${s>0?`${$(s)} with an unknown price`:""} />
      <${D}
        label="Cost"
        value=${J(e)}
        note=${e.unpriced_requests>0?`${$(e.unpriced_requests)} with an unknown price`:""}
      />
      <${D} label="Requests" value=${$(e.requests)} />
      <${D}
        label="Cached input"
        value=${q(e.cached_input_tokens,e.input_tokens)}
        note=${`of ${E(e.input_tokens)} tokens`}
      />
    </dl>
  `}var ii={};ke(ii,{default:()=>ri});var Ut=[["hour","hour"],["day","day"],["week","week"],["month","month"],["total","whole life"]],Oe=[["requests_per_minute","Requests per minute","requests/min"],["tokens_per_minute","Tokens per minute","tokens/min"],["concurrent","Concurrent requests","concurrent"],["requests_per_hour","Requests per hour","requests/h"],["tokens_per_hour","Tokens per hour","tokens/h"],["requests_per_day","Requests per day","requests/day"],["tokens_per_day","Tokens per day","tokens/day"],...["Searches","Images","Characters","Seconds"].flatMap(e=>{let t=e.toLowerCase();return[[`${t}_per_minute`,`${e} per minute`,`${t}/min`],[`${t}_per_day`,`${e} per day`,`${t}/day`]]})],Bt=3;function be(e){let{models:t,limits:s,budget:n,expires:o}=e??{};return{name:e?.name??"",models:(t??[]).join(`
`),...Object.fromEntries(Oe.map(([r])=>[r,String(s?.[r]??"")])),usd:String(n?.usd??""),per:n?.per??"month",unknownPrices:n?.unknown_prices,expires:o==null?"":new Date(o*1e3).toISOString().slice(0,10),...Object.fromEntries(Dr.map(r=>[r,e?.[r]??""]))}}var Dr=["owner","team","note"];function Fr(e){let t=Object.entries(xs(e)).filter(([,s])=>s!==null);return{name:e.name.trim(),...Object.fromEntries(t)}}function jt(e,t){let s=xs(be(t));return Object.fromEntries(Object.entries(xs(e)).filter(([n,o])=>JSON.stringify(o)!==JSON.stringify(s[n])))}function xs(e){let t=e.models.split(/[\n,]/).map(n=>n.trim()).filter(n=>n!==""),s=Oe.filter(([n])=>e[n].trim()!=="");return{models:t.length===0?null:t,limits:s.length===0?null:Object.fromEntries(s.map(([n])=>[n,Ur(e[n])])),budget:e.usd.trim()===""?null:ml(e),expires:e.expires===""?null:e.expires,...Object.fromEntries(Dr.map(n=>[n,e[n].trim()||null]))}}function ml({usd:e,per:t,unknownPrices:s}){let n={usd:Ur(e),per:t};return s===void 0?n:{...n,unknown_prices:s}}function Ur(e){let t=Number(e);return Number.isFinite(t)?t:e}function je(e){return Oe.flatMap(([t,,s])=>e?.[t]==null?[]:[`${$(e[t])} ${s}`])}function oe({usd:e,per:t}){let s=t==="total"?"in total":t==="hour"?"an hour":`a ${t}`;return`${w(e)} ${s}`}function Br(e,{origin:t,hasKey:s}){let{budget:n,expires:o,key:r,models:i,name:u,owner:l}=e,d=[`It may use ${i===null?"all models":i.join(", ")}`,n===null?"":`, up to ${oe(n)}`,o===null?"":`, until ${new Date(o*1e3).toISOString().slice(0,10)}`];return[...l===null?[]:[`Hello ${l},`],`your key "${u}" for our model gateway is ready. ${d.join("")}.`,`Address: ${t}/v1`,`Usage and budget: ${t}/ (sign in with the key)`,s?`Key: ${r}`:"The key itself follows separately."].join(`
`)}function jr({status:e,previous_valid_until:t},s){return e==="active"&&t!=null&&t*1e3>s?t:void 0}function Ht({fields:e,onChange:t,isNew:s,knownTeams:n=[]}){let o=l=>d=>t({...e,[l]:d.target.value}),r=(l,d)=>a`
      <div class="field">
        <label for=${`key-${l}`}>${d}</label>
        <input
          id=${`key-${l}`}
          type="text"
          inputmode="numeric"
          autocomplete="off"
          placeholder="Default"
          value=${e[l]}
          onInput=${o(l)}
        />
      </div>
    `,[i]=k(()=>Oe.slice(Bt).some(([l])=>e[l]!=="")),u=(l,d,c=[])=>a`
      <div class="field">
        <label for=${`key-${l}`}>${d}</label>
        <input
          id=${`key-${l}`}
          type="text"
          maxlength="128"
          autocomplete="off"
          spellcheck=${l==="note"}
          list=${c.length>0?`key-${l}-known`:void 0}
          value=${e[l]}
          onInput=${o(l)}
        />
        ${c.length>0&&a`
          <datalist id=${`key-${l}-known`}>
            ${c.map(f=>a`<option key=${f} value=${f}></option>`)}
          </datalist>
        `}
      </div>
    `;return a`
    ${s&&a`
      <div class="field">
        <label for="key-name">Name</label>
        <input
          id="key-name"
          type="text"
          autofocus
          required
          maxlength="100"
          autocomplete="off"
          spellcheck=${!1}
          value=${e.name}
          aria-describedby="key-name-hint"
          onInput=${o("name")}
        />
        <p class="hint" id="key-name-hint">Shown in usage and logs. It cannot be changed later.</p>
      </div>
    `}
    <div class="two-fields">
      ${u("team","Team",n)}
      ${u("owner","Owner")}
    </div>
    ${u("note","Note")}
    <div class="field">
      <label for="key-models">Models</label>
      <textarea
        id="key-models"
        autofocus=${!s}
        class="code"
        rows="3"
        spellcheck=${!1}
        placeholder="All models"
        value=${e.models}
        aria-describedby="key-models-hint"
        onInput=${o("models")}
      ></textarea>
      <p class="hint" id="key-models-hint">
        One name per line, such as <code>gpt-*</code>. Without any, the key may use all models.
      </p>
    </div>
    <div class="three-fields">
      <div class="field">
        <label for="key-usd">Budget in US dollars</label>
        <input
          id="key-usd"
          type="text"
          inputmode="decimal"
          autocomplete="off"
          placeholder="None"
          value=${e.usd}
          onInput=${o("usd")}
        />
      </div>
      <div class="field">
        <label for="key-per">Budget per</label>
        <select id="key-per" value=${e.per} onChange=${o("per")}>
          ${Ut.map(([l,d])=>a`<option key=${l} value=${l}>${d}</option>`)}
        </select>
      </div>
      <div class="field">
        <label for="key-expires">Expires on, UTC</label>
        <input id="key-expires" type="date" value=${e.expires} onInput=${o("expires")} />
      </div>
    </div>
    <fieldset>
      <legend>Limits</legend>
      <div class="three-fields">
        ${Oe.slice(0,Bt).map(([l,d])=>r(l,d))}
      </div>
      <details class="more-limits" open=${i}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${Oe.slice(Bt).map(([l,d])=>r(l,d))}
        </div>
      </details>
    </fieldset>
  `}function Te(e){let[t,s]=k({isBusy:!1,error:void 0});return{...t,start:async o=>{if(o.preventDefault(),!t.isBusy){s({isBusy:!0,error:void 0});try{await e(),s({isBusy:!1,error:void 0})}catch(r){s({isBusy:!1,error:r})}}}}}function ye({id:e}){return`/v1/admin/keys/${encodeURIComponent(e)}`}function Hr({entry:e,onChanged:t,onClose:s}){let[n,o]=k(()=>be(e)),{isBusy:r,error:i,start:u}=Te(async()=>{let l=jt(n,e);Object.keys(l).length>0&&(await T(ye(e),{method:"PATCH",body:l}),t()),s()});return a`
    <${K} title=${`Edit ${e.name}`} onClose=${s}>
      <form class="stack" onSubmit=${u}>
        <${Ht} fields=${n} onChange=${o} isNew=${!1} />
        <${C} error=${i} title="Not changed" />
        <${_s} text="Save" isBusy=${r} onClose=${s} />
      </form>
      <//>
  `}function Kr({entry:e,onChanged:t,onClose:s}){let[n,o]=k("1h"),[r,i]=k(void 0),{isBusy:u,error:l,start:d}=Te(async()=>{let c={overlap:n.trim()||"0s"};i(await T(`${ye(e)}/rotate`,{body:c})),t()});return r!==void 0?a`<${hl} entry=${r} onClose=${s} />`:a`
    <${K} title=${`Rotate ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${d}>
        <p>The key gets a new value. Its name, settings and usage are unchanged.</p>
        <div class="field">
          <label for="rotate-overlap">The old value stays valid for</label>
          <input
            id="rotate-overlap"
            type="text"
            autofocus
            autocomplete="off"
            value=${n}
            aria-describedby="rotate-hint"
            onInput=${c=>o(c.target.value)}
          />
          <p class="hint" id="rotate-hint">
            Such as <code>30m</code> or <code>24h</code>; <code>0s</code> ends it at once.
          </p>
        </div>
        <${C} error=${l} title="Not rotated" />
        <${_s} text="Rotate" isBusy=${u} onClose=${s} />
      </form>
      <//>
  `}function Wr({entry:e,onChanged:t,onClose:s}){let{isBusy:n,error:o,start:r}=Te(async()=>{await T(ye(e),{method:"DELETE"}),t(),s()});return a`
    <${K} title=${`Revoke ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${r}>
        <p>
          Requests with the key <strong class="wrap-anywhere">${e.name}</strong> are refused from
          now on. This cannot be undone. Its name stays taken, and its usage is kept.
        </p>
        <${C} error=${o} title="Not revoked" />
        <${_s} text="Revoke key" isBusy=${n} onClose=${s} tone="destructive" />
      </form>
      <//>
  `}function _s({text:e,isBusy:t,onClose:s,tone:n=""}){return a`
    <div class="row end">
      <button type="button" onClick=${s}>Cancel</button>
      <button type="submit" class=${`primary ${n}`} disabled=${t}>${e}</button>
    </div>
  `}function hl({entry:e,onClose:t}){return a`
    <${K} title=${`The key ${e.name}`} onClose=${t} class="narrow" isHeld=${!0}>
      <div class="stack">
        <p>Copy the key now. It is not stored and cannot be shown again.</p>
        <div class="row key-text">
          <code class="wrap-anywhere" data-secret="key">${e.key}</code>
          <${te} text=${e.key} label="Copy" class="primary" />
        </div>
        <div class="row end">
          <button type="button" onClick=${t}>I have copied it</button>
        </div>
      </div>
      <//>
  `}var Kt=.9,gl=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeZone:"UTC"}),vl=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeStyle:"short",timeZone:"UTC"});function it({limit_usd:e,spent_usd:t,...s}){let n=e>0?t/e:1,o=n>=1?"bad":n>=Kt?"warn":"good",{forecast_usd:r,renews_at:i,unpriced_requests:u}=s,l=[i&&`renews ${Jr(i)}`,r!==null&&t>0&&`at this rate ${w(r)}${r>e?", more than the budget":""}`,u>0&&`${$(u)} requests of an unknown price`].filter(d=>d);return{tone:o,share:n,notes:l}}function Wt({budget:e,status:t,usage:s}){if(e===null||!s?.budget||t==="revoked")return;let{limit_usd:n,spent_usd:o}=s.budget;return n>0?o/n:1}function Gt(e){return(Wt(e)??0)>=Kt}function Gr(e){let t=e.filter(({status:l})=>l!=="revoked"),s=t.filter(Gt),n=t.filter(l=>(Wt(l)??0)>=1),o=`${$(t.length)} ${t.length===1?"key":"keys"}`,r=s.length===0?t.some(({budget:l})=>l!==null)?`No key is over ${100*Kt} % of its budget`:`${o}, none with a budget`:`${$(s.length)} of ${o} ${s.length===1?"is":"are"} over ${100*Kt} % of ${s.length===1?"its budget":"their budgets"}`,i=n[0]?.usage.budget.renews_at,u=n.length===0?s.length===0&&t.length>0?`${o} in total.`:"":`${n.length===1?"It has":`${$(n.length)} have`} used it up and ${n.length===1?"is":"are"} refused with 429${n.length===1&&i?` until ${Jr(i)}`:""}.`;return{title:r,text:u,used:n.length===1?n[0]:void 0}}function Xr(e){let t=e.filter(({status:u})=>u!=="revoked"),s=t.flatMap(({usage:u})=>u?.budget??[]),n=(u,l)=>u.reduce((d,c)=>d+c[l],0),o=e.flatMap(({usage:u})=>u?.last_used??[]).sort(),r=Math.max(0,...e.map(({usage:u})=>u?.days.length??0)),i=Array.from({length:r},(u,l)=>{let d=e.flatMap(({usage:c})=>c?.days[l]??[]);return{requests:n(d,"requests"),cost_usd:n(d,"cost_usd")}});return{active:t.length,near:t.filter(Gt).length,days:i,lastUsed:o.at(-1),budget:n(s,"limit_usd"),spent:n(s,"spent_usd"),owners:[...new Set(e.flatMap(({owner:u})=>u??[]))].sort()}}function Jr(e){let t=new Date(e);return e.includes("T00:00:00")?gl.format(t):`${vl.format(t)} UTC`}function at(e){let t=s=>e.reduce((n,o)=>n+o[s],0);return`${e.length} days: ${$(t("requests"))} requests, ${w(t("cost_usd"))}`}function Xt({budget:e,spending:t}){if(!t)return a`${oe(e)}`;let{tone:s,notes:n,share:o}=it(t),{forecast_usd:r,limit_usd:i,spent_usd:u}=t,l=[`${w(u)} of ${oe(e)}`,...n].join(", "),d=r!==null&&r>i;return a`
    <span class="budget" title=${l}>
      <span
        class=${`meter ${s}`}
        role="meter"
        aria-label=${`Spent of ${oe(e)}`}
        aria-valuenow=${Math.round(100*o)}
        aria-valuemin="0"
        aria-valuemax="100"
      >
        <span style=${{width:`${Math.min(100,100*o).toFixed(1)}%`}}></span>
        ${r!==null&&!d&&i>0&&a`
          <i style=${{left:`${(100*r/i).toFixed(1)}%`}}></i>
        `}
      </span>
      <span class="share">${o>=1&&t.is_used_up?"used up":`${Math.floor(100*o)} %`}${d&&o<1?" \u2197":""}</span>
      <span class="limit soft">of ${oe(e)}</span>
    </span>
  `}var Vr=new Map([["expired","warn"],["disabled","bad"]]);function ut({id:e}){return`#/keys/${encodeURIComponent(e)}`}function Ss(e){return`#/keys/team/${encodeURIComponent(e)}`}function Os({entry:e}){let{reason:t,status:s}=e,n=jr(e,Date.now());return a`
    <span class=${Vr.has(s)?`badge ${Vr.get(s)}`:"soft"} title=${t??""}
    >${s}</span>
    ${n&&a`
      <span class="small soft"> the old value is valid until ${new Date(n*1e3).toLocaleTimeString("en-GB")}</span>
    `}
  `}var bl=({usage:e})=>e?.days.reduce((t,{requests:s})=>t+s,0),yl=[{id:"name",title:"Key",of:({name:e})=>e,isRisingFirst:!0,card:"a"},{id:"team",title:"Team",of:({team:e})=>e,isRisingFirst:!0,panel:"low",text:e=>a`<a href=${Ss(e)}><${ie} text=${e} /></a>`},{id:"owner",title:"Owner",of:({owner:e})=>e,isRisingFirst:!0,panel:"low"},{id:"share",title:"Of the budget",of:Wt,card:"c",hint:"Spent in the current period; an arrow means that the forecast passes the budget",cell:({budget:e,usage:t})=>e&&a`<${Xt} budget=${e} spending=${t?.budget} />`},{id:"spent",title:"Spent",isNumber:!0,card:"b",of:({usage:e})=>e?.budget?.spent_usd,text:w},{id:"used",title:"Last used",card:"d",hint:"The last day in UTC with a request, of the last 30 days",of:({usage:e})=>e?.last_used},{id:"requests",title:"Requests, 30 d",of:bl,text:$,isNumber:!0},{id:"limits",title:"Limits",isProse:!0,of:({limits:e})=>je(e).join(", ")},{id:"status",title:"Status",of:({status:e})=>e,cell:e=>a`<${Os} entry=${e} />`},{id:"created",title:"Created",of:({created:e})=>e??"config.yaml",text:e=>typeof e=="number"?Ye(e):a`<code>config.yaml</code>`},{id:"prefix",title:"Begins with",of:({prefix:e})=>e,isRisingFirst:!0,text:e=>a`<code>${e}…</code>`}];function He({source:e,status:t}){return e==="store"&&t!=="revoked"}function Jt({keys:e,marks:t,onAction:s}){return a`
    <${B} label="Keys" columns=${yl} rows=${e} idOf=${({id:o})=>o}
      hrefOf=${ut} actionsOf=${o=>[{text:"Open",href:ut(o)},{text:"Requests",href:`#/requests?${new URLSearchParams({key:o.name})}`},{text:"Copy name",copy:o.name},...He(o)?[{text:"Edit",run:()=>s("edit",o)},{text:"Rotate",run:()=>s("rotate",o)},{text:"Revoke",run:()=>s("revoke",o),isDanger:!0}]:[]]} order=${{id:"share",isRising:!1}}
      marks=${t} classOf=${({status:o})=>o==="revoked"?"revoked":""} />
  `}function Yr({keys:e,onAction:t,onClear:s}){let n=e.reduce((i,{usage:u})=>i+(u?.budget?.spent_usd??0),0),o=e.some(He),r=(i,u,l="")=>a`
      <button type="button" class=${`small ${l}`} disabled=${!o}
        onClick=${()=>t(i)}>${u}</button>
    `;return a`
    <div class="row bulk" role="status">
      <span><strong>${$(e.length)} selected</strong>, ${w(n)} spent together</span>
      ${r("budget","Change budget")} ${r("team","Change team")}
      ${r("revoke","Revoke","danger")}
      <button type="button" class="quiet small" onClick=${s}>Clear</button>
    </div>
  `}var Zr={budget:"Change the budget",team:"Change the team",revoke:"Revoke"};function Qr({kind:e,keys:t,onChanged:s,onClose:n}){let o=t.filter(He),[r,i]=k({usd:"",per:"month",team:""}),[u,l]=k(0),d=g=>h=>i({...r,[g]:h.target.value}),{isBusy:c,error:f,start:p}=Te(async()=>{try{for(let[g,h]of o.slice(u).entries())await kl(e,h,r),l(u+g+1)}finally{s()}n()}),m=t.length-o.length;return a`
    <${K} title=${`${Zr[e]} of ${$(o.length)} keys`} onClose=${n}
      class="narrow">
      <form class="stack" onSubmit=${p}>
        <p class="wrap-anywhere">${o.slice(0,8).map(({name:g})=>g).join(", ")}${o.length>8?`, and ${$(o.length-8)} more`:""}</p>
        ${m>0&&a`
          <p class="soft">${$(m)} of them ${m===1?"is":"are"} in config.yaml or
            revoked, and stay as they are.</p>
        `}
        ${e==="revoke"&&a`
          <p>Their requests are refused from now on. This cannot be undone.</p>
        `}
        ${e==="team"&&a`
          <div class="field">
            <label for="bulk-team">Team</label>
            <input id="bulk-team" type="text" maxlength="128" value=${r.team}
              onInput=${d("team")} />
          </div>
        `}
        ${e==="budget"&&a`<${wl} fields=${r} set=${d} />`}
        <${C} error=${f}
          title=${`${$(u)} of ${$(o.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class=${`primary ${e==="revoke"?"destructive":""}`}
            disabled=${c||o.length===0}
          >${c?`${$(u)} of ${$(o.length)}`:Zr[e]}</button>
        </div>
      </form>
      <//>
  `}function wl({fields:e,set:t}){return a`
    <div class="two-fields">
      <div class="field">
        <label for="bulk-usd">US dollars</label>
        <input id="bulk-usd" type="text" inputmode="decimal" placeholder="None"
          value=${e.usd} onInput=${t("usd")} />
      </div>
      <div class="field">
        <label for="bulk-per">per</label>
        <select id="bulk-per" value=${e.per} onChange=${t("per")}>
          ${Ut.map(([s,n])=>a`<option key=${s} value=${s}>${n}</option>`)}
        </select>
      </div>
    </div>
  `}async function kl(e,t,{team:s,usd:n,per:o}){if(e==="revoke")return await T(ye(t),{method:"DELETE"});let r=e==="team"?{team:s}:{usd:n,per:o},i=jt({...be(t),...r},t);if(Object.keys(i).length!==0)return await T(ye(t),{method:"PATCH",body:i})}var xl="The key is not shown again.",_l="Your input is lost.";function zr({onCreated:e,teams:t}){let[s,n]=k(be),[o,r]=k(void 0),i=JSON.stringify(s)!==JSON.stringify(be()),{isBusy:u,error:l,start:d}=Te(async()=>{r(await T("/v1/admin/keys",{body:Fr(s)})),e()});if(o!==void 0)return a`<${Sl} entry=${o} />`;let c=f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&d(f)};return a`
    <${we} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${i&&a`<${ei} text=${_l} />`}
    <form class="stack key-page" onSubmit=${d} onKeyDown=${c}>
      <${Ht} fields=${s} onChange=${n} isNew=${!0} knownTeams=${t} />
      <${C} error=${l} title="Not created" />
      <div class="row">
        <button type="submit" class="primary" disabled=${u}>Create key</button>
        <a class="button" href="#/keys">Cancel</a>
        <span class="small soft">Ctrl Enter</span>
      </div>
    </form>
  `}function we({text:e}){return a`
    <nav class="crumb small" aria-label="Position">
      <a href="#/keys">Keys</a> <span class="soft">/</span> <span>${e}</span>
    </nav>
  `}function ei({text:e}){let[t,s]=k(void 0),n=F(()=>{});return H(()=>{n.current=tn(s);let r=i=>i.preventDefault();return addEventListener("beforeunload",r),()=>{n.current(),removeEventListener("beforeunload",r)}},[]),t===void 0?null:a`
    <${K} title="Leave this page?" onClose=${()=>s(void 0)} class="narrow"
      isHeld=${!0}>
      <p>${e}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${()=>s(void 0)}>Stay</button>
        <button type="button" class="danger" onClick=${()=>{n.current(),location.hash=t}}>Leave</button>
      </div>
      <//>
  `}function Sl({entry:e}){let{expires:t,key:s,limits:n,models:o,name:r,note:i,owner:u,team:l}=e,d=[["Team",l],["Owner",u],["Note",i],["Models",o===null?"all":o.join(", ")],["Budget",e.budget===null?"none":oe(e.budget)],["Limits",je(n).join(", ")||"default"],["Expires",t===null?"never":new Date(t*1e3).toISOString().slice(0,10)]].filter(([,p])=>p!==null),[c,f]=k(!1);return H(()=>{c&&(location.hash="#/keys")},[c]),a`
    ${!c&&a`<${ei} text=${xl} />`}
    <${we} text=${r} />
    <header class="view-head">
      <div class="view-title">
        <h1>Hand over “${r}”</h1>
        <p class="soft">
        The key works now. The gateway stores only a hash of it, so its text is shown here once and
        never again.
      </p>
      </div>
    </header>
    <div class="hand-over">
      <div class="stack wide">
        <section class="stack" aria-label="The key">
          <h2>1. The key</h2>
          <div class="row key-text">
            <code class="wrap-anywhere" data-secret="key">${s}</code>
            <${te} text=${s} label="Copy key" class="primary" />
          </div>
        </section>
        <${Ol} keyText=${s} />
        <${Cl} entry=${e} />
      </div>
      <aside class="stack wide">
        <section class="card stack padded">
          <h2>What it may</h2>
          <${ee} facts=${d} class="key-facts" />
        </section>
        <button type="button" class="primary" onClick=${()=>f(!0)}>I have copied it</button>
        <p class="small soft">This button closes the page; Back and links ask first.</p>
      </aside>
    </div>
  `}function Ol({keyText:e}){let[t,s]=k(""),n=new URLSearchParams({os:ti(),origin:location.origin}),{data:o,error:r}=L(u=>T(`/v1/clients?${n}`,{key:e,signal:u}),[e]),i=o?.data.find(u=>u.id===t)??o?.data[0];return a`
    <section class="stack" aria-label="Settings of the client">
      <h2>2. Settings of the client</h2>
      <${C} error=${r} title="The settings cannot be shown" />
      ${o?.data.length===0&&a`
        <p class="soft">The key may use no model that answers chats.</p>
      `}
      ${i!==void 0&&a`
        <label class="row">Client
          <select value=${i.id} onChange=${u=>s(u.target.value)}>
            ${o.data.map(u=>a`<option key=${u.id} value=${u.id}>${u.title}</option>`)}
          </select>
        </label>
        ${Tl(i,e).map(({title:u,text:l})=>a`
            <div key=${u} class="stack">
              <div class="row spread"><code>${u}</code>
                <${te} text=${l} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${u}>${l}</pre>
            </div>
          `)}
      `}
    </section>
  `}function Tl({files:e,steps:t},s){let n="SLUICE_API_KEY";return[{title:"Key in the environment",text:ti()==="windows"?`setx ${n} ${s}`:`export ${n}=${s}`},...e.map(({path:i,text:u})=>({title:i,text:u})),...t.length===0?[]:[{title:"Steps",text:t.join(`
`)}]]}function ti(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function Cl({entry:e}){let[t,s]=k(!1),n=Br(e,{origin:location.origin,hasKey:t});return a`
    <section class="stack" aria-label="A message to send">
      <div class="row spread">
        <h2>3. A message to send</h2>
        <label class="check">
          <input type="checkbox" checked=${t} onChange=${()=>s(!t)} />
          with the key in it
        </label>
        <${te} text=${n} label="Copy message" class="small" />
      </div>
      <pre class="code-box" tabindex="0" aria-label="Message">${n}</pre>
    </section>
  `}function si({id:e,version:t,onAction:s}){let{data:n,error:o}=L(c=>T(ye({id:e}),{signal:c}),[e,t]);if(!n)return a`
      <${we} text=${e} />
      <h1>Key</h1>
      <${C} error=${o} title="The key cannot be shown" />
      ${!o&&a`<${A} text="Loading the key" />`}
    `;let{budget:r,name:i,usage:u}=n,l=u?.days??[],d=c=>new URLSearchParams({[c]:i});return a`
    <${we} text=${i} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${ql(n)}</h1>
        <p class="soft"><${Os} entry=${n} />${u?.last_used?`, last used on ${u.last_used}`:u?", not used in 30 days":""}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/requests?${d("key")}`}>Requests</a>
        <a class="button" href=${`#/usage?${d("key")}`}>Usage</a>
        ${He(n)&&[["edit","Edit"],["rotate","Rotate"],["revoke","Revoke"]].map(([c,f])=>a`
              <button type="button" key=${c} class=${c==="revoke"?"danger":""}
                onClick=${()=>s(c,n)}>${f}</button>
            `)}
      </div>
    </header>
    <div class="hand-over">
      <div class="stack wide">
        ${r!==null&&a`
          <section class="card stack padded">
            <h2>Budget</h2>
            <${Xt} budget=${r} spending=${u?.budget} />
            <p class="soft">${u?.budget&&it(u.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${at(l).replace(/^.*?: /,"")}</p>
          <${Ts} days=${l} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${ee} facts=${Ml(n)} class="key-facts" />
      </aside>
    </div>
  `}function ql({name:e,usage:t}){if(!t?.budget)return e;let{share:s}=it(t.budget);return s>=1?`${e} has used up its budget`:`${e} has spent ${Math.floor(100*s)} % of its budget`}function Ts({days:e}){let t=Math.max(1,...e.map(({requests:s})=>s));return a`
    <div class="day-bars" role="img" aria-label=${at(e)}>
      ${e.map(({cost_usd:s,requests:n},o)=>a`
          <span key=${o} title=${`${$(n)} requests, ${w(s)}`}
            style=${{height:`${100*n/t}%`}}></span>
        `)}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${$(t)} ${t===1?"request":"requests"} a day</span><span>today, UTC</span></div>
  `}function Ml(e){let{budget:t,created:s,expires:n,limits:o,models:r,note:i,owner:u,prefix:l,source:d,team:c}=e;return[["Team",c&&a`<a href=${Ss(c)}>${c}</a>`],["Owner",u],["Note",i],["Begins with",l&&a`<code>${l}…</code>`],["Models",r===null?"all":r.join(", ")],["Limits",je(o).join(", ")||"default"],["Budget",t===null?"none":oe(t)],["Priority",e.priority],["Weight",e.weight],["Created",d==="config"?"in config.yaml":Ye(s)],["Expires",n===null?"never":Ye(n)]].filter(([,f])=>f!=null)}function ni({name:e,keys:t,error:s,onAction:n}){if(!t)return a`
      <${we} text=${e} />
      <h1>Team</h1>
      <${C} error=${s} title="The team cannot be shown" />
      ${!s&&a`<${A} text="Loading the team" />`}
    `;let o=t.filter(({team:g})=>g===e),{active:r,budget:i,days:u,lastUsed:l,near:d,owners:c,spent:f}=Xr(o),p=new URLSearchParams({team:e}),m=[["Keys",$(r)],["Over 90 %",d>0&&`${$(d)} ${d===1?"key":"keys"}`],["Budgets",i>0&&`${w(f)} of ${w(i)} spent`],["Owners",c.length>0&&c.join(", ")],["Last used",l??"not in 30 days"]].filter(([,g])=>g);return a`
    <${we} text=${e} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${e}: ${$(r)} ${r===1?"key":"keys"}${d>0?`, ${$(d)} over 90 % of ${d===1?"its budget":"their budgets"}`:""}</h1>
        <p class="soft">${at(u)}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/usage?${p}`}>Usage</a>
      </div>
    </header>
    <div class="hand-over">
      <section class="card stack padded">
        <h2>The last 30 days</h2>
        <${Ts} days=${u} />
      </section>
      <aside class="card stack padded">
        <h2>Team</h2>
        <${ee} facts=${m} class="key-facts" />
      </aside>
    </div>
    ${o.length===0?a`<div class="card empty">No key has this team.</div>`:a`<${Jt} keys=${o} onAction=${n} />`}
  `}function ri({route:e}){let{hasAdmin:t}=G();return a`
    <div class="view" data-view="keys">
      ${t?a`<${El} path=${e.path} query=${e.query} />`:a`
        <${se} title="Keys" />
        <${ft} what="Managing keys needs an admin key." />
      `}
    </div>
  `}var Rl={edit:Hr,rotate:Kr,revoke:Wr};function El({path:[e,t],query:s}){let[n,o]=k(!1),[r,i]=k(null),[u,l]=k(0),d=L(g=>dt({revoked:n,usage:!0},g),[n,u]),c=()=>l(g=>g+1),f=(g,h)=>i({type:g,entry:h}),p=W(()=>Ll(d.data??[],"team"),[d.data]),m=r&&Rl[r.type];return a`
    ${e==="new"?a`<${zr} onCreated=${c} teams=${p} />`:t!==void 0?a`
        <${ni} name=${t} keys=${d.data} error=${d.error} onAction=${f} />
      `:e!==void 0?a`<${si} id=${e} version=${u} onAction=${f} />`:a`
        <${Nl} ...${d} search=${s.get("search")??""} onAction=${f}
          onChanged=${c} showsRevoked=${n} onRevoked=${o} />
      `}
    ${r&&a`
      <${m} entry=${r.entry} onChanged=${c}
        onClose=${()=>i(null)} />
    `}
  `}function Ll(e,t){return[...new Set(e.map(s=>s[t]).filter(s=>s))].sort()}var oi=[["all","All",()=>!0],["near","Over 90 %",Gt],["unused","Not used in 30 d",({status:e,usage:t})=>e==="active"&&!t?.last_used]];function Nl(e){let{data:t,error:s,isLoading:n,showsRevoked:o,onRevoked:r,onAction:i,onChanged:u}=e,[l,d]=k(e.search),[c,f]=k("all"),[p,m]=k(()=>new Set),[g,h]=k(void 0),v=s?.code==="store_required",[,,b]=oi.find(([R])=>R===c),S=Fl(l),y=W(()=>(t??[]).filter(R=>b(R)&&Dl(R,S)),[t,c,S]),_=e.search.startsWith("sk-")&&l===e.search&&y.length===1?ut(y[0]):void 0;H(()=>_&&location.replace(_),[_]);let O=y.filter(({id:R})=>p.has(R)),I={ids:p,onToggle:R=>m(new Set(p.has(R)?[...p].filter(re=>re!==R):[...p,R])),onAll:R=>m(new Set(R?y.map(({id:re})=>re):[]))};return a`
    <${Il} keys=${t}>
      <label class="check">
        <input type="checkbox" aria-keyshortcuts="Alt+Shift+V" checked=${o}
          onChange=${R=>r(R.target.checked)} />
        Show revoked keys
      </label>
      ${v?null:a`
        <a class="button primary" aria-keyshortcuts="Alt+Shift+N" href="#/keys/new">
          <${pe} name="add" /> Create key
        </a>
      `}
    <//>
    ${v?a`
        <div class="card empty">
          <p>${s.message}</p>
        </div>
      `:a`<${C} error=${s} title="The keys cannot be listed" />`}
    ${!t&&!s&&a`<${A} text="Loading the keys" />`}
    ${t&&a`
      <div class="row">
        <${$e} label="Which keys" value=${c} onChange=${f}
          options=${oi.map(([R,re,lt])=>[R,`${re} ${$(t.filter(lt).length)}`])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${!1}
          placeholder="Name, team, owner, note, or a key" value=${l}
          onInput=${R=>d(R.target.value)} />
      </div>
      ${O.length>0&&a`
        <${Yr} keys=${O} onAction=${h} onClear=${()=>m(new Set)} />
      `}
      ${y.length===0?a`<div class="card empty" role="status">${Pl(t,S)}</div>`:a`
          <div class=${n?"stale":""}>
            <${Jt} keys=${y} marks=${I} onAction=${i} />
          </div>
        `}
    `}
    ${g&&a`
      <${Qr} kind=${g} keys=${O} onChanged=${u}
        onClose=${()=>h(void 0)} />
    `}
  `}function Il({keys:e,children:t}){let{title:s,text:n,used:o}=e?Gr(e):{title:"Keys",text:""};return a`
    <header class="view-head">
      <div class="view-title">
        <h1>${s}</h1>
        <p class="soft">${o&&a`
          <a class="wrap-anywhere" href=${ut(o)}>${o.name}</a>:
        `}${n}</p>
      </div>
      <div class="view-tools">${t}</div>
    </header>
  `}function Pl(e,t){return t!==""?"No key has this text in its name, team, owner or note, or begins with it.":e.length===0?"No keys yet. Create one for each application or team.":"No key is like that."}function Dl({name:e,note:t,owner:s,prefix:n,team:o},r){let i=r.toLowerCase();return[e,t,s,n,o].some(u=>u?.toLowerCase().includes(i))}function Fl(e){let t=e.trim();return t.startsWith("sk-")?t.slice(0,18):t}export{ii as keys,hn as overview,oo as requests,Pr as savings,ho as sessions,Mo as status,Sr as usage};
