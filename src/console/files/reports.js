import{b as vt,f as nn}from"./shared3.js";import{A as Ee,B as Js,D as oe,E as J,F as Ze,G as Vs,H as Ye,I as j,J as es,L as ts,M as Zs,N as Ys,O as Qs,P as zs,Q as en,R as tn,S as bt,V as sn,a as X,b as Qt,c as Se,d as Ks,e as L,f as B,g as ft,h as ne,i as pt,j as F,k as Re,l as $t,m as Xe,n as Ws,o as ge,p as Gs,q as Je,r as le,s as Xs,t as Ve,u as mt,v as Oe,w as q,x as ht,y as zt,z as gt}from"./shared2.js";import{$ as Fs,A as Yt,D as C,E as te,F as Ls,G as se,H as W,I as me,J as ae,K as A,L as Ns,M as $,N as P,O as E,P as x,Q as w,R as Is,S as M,T as Ke,U as Ps,X as Ds,Z as We,a as xe,aa as Us,ba as Bs,c as k,d as K,e as As,f as U,fa as H,g as G,i as a,ia as Me,j as D,ja as js,ka as Y,la as he,ma as Q,qa as Hs,ra as qe,sa as Ge,ta as _e,u as Rs,ua as dt,v as T,xa as Ae,y as $e,z as Es}from"./shared1.js";var bn={};xe(bn,{default:()=>gn});function on(e){let t=new Map;for(let s of e)for(let[n,o,r]of s){let[i,l]=t.get(n)??[0,0];t.set(n,[i+o,l+r])}return t}var ui=12;function rn({from:e,to:t},s,n){let o=Math.floor(s/n),r=o-288+1,i=Math.max(r,Math.floor(e/n)),l=Math.min(o,Math.ceil(t/n)-1);if(l<i)return{first:r,count:288,cellMs:n,isDay:!0,isNow:!0};let u=l-i+1;return{first:i,count:u,cellMs:n,isDay:u>=288-ui,isNow:l===o}}function an(e,{cellMs:t,count:s,first:n}){return new Map([...e].filter(([o])=>{let r=o/t-n;return r>=0&&r<s}))}function ss(e,{cellMs:t,count:s,first:n},o=1){let r=[],i=[];for(let l=0;l<s;l++){let[u,d]=e.get((n+l)*t)??[0,0];if(u===0&&i.push(`M${l} 95h1v5h-1z`),d===0)continue;let c=Math.min(1,d/u/o),f=Math.round(Math.max(12,100*c));r.push(`M${l} ${100-f}h.8v${f}h-.8z`)}return{failed:r.join(""),quiet:i.join("")}}function ln(e){let t=0;for(let[s,n]of e.values())t=Math.max(t,s===0?0:n/s);return[.02,.04,.1,.2,.5].find(s=>t<=s)??1}function ns(e,{cellMs:t,count:s,first:n}){let o=(e/t-n)/s;return o<0||o>1?void 0:100*o}var ci=[5,15,30,60,180,360];function un({cellMs:e,count:t,first:s}){let[n,o]=[s*e,(s+t)*e],r=6e4*(ci.find(l=>(o-n)/(l*6e4)<=5)??360),i=[];for(let l=Math.ceil(n/r)*r;l<=o;l+=r)i.push(l);return i}var di=6,fi=36e5;function fn({health:e,period:t,rangeName:s}){let{cell_ms:n,changes:o,reading:r,since:i,targets:l}=e,u=Date.parse(e.at),d=rn(t,u,n),c=h=>an(on(h.map(({cells:v})=>v)),d),f=c(l),p=d.isDay?"the last 24 hours":s,m=ln(f),g=Date.parse(i);return a`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, ${p}</h2>
        <span class="faint small">
          5 min a cell, this process${hi(g,u,r)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key breakers">breakers</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${cn}
          class="tall"
          label=${`All targets: ${dn(f,p)}`}
          paths=${ss(f,d,m)}
          count=${d.count}
          top=${m}
        >
          ${o.map(({kind:h,text:v,time:b},_)=>a`
              <${$i} key=${_} kind=${h} text=${`${v} at ${ge(b,u)}`}
                at=${ns(Date.parse(b),d)} />
            `)}
        <//>
        <div class="strip-end"></div>
        ${pi(l).map(({name:h,own:v,worst:b})=>{let _=c(v),y=pn(v.map(S=>S.recent));return a`
            <div class="strip-name" key=${h}>
              <a class="clip" href="#/status" title=${h}>${h}</a>
              <${Ae} state=${b.state} isShort=${!0} />
            </div>
            <${cn} key=${`${h} strip`} label=${`${h}: ${dn(_,p)}`}
              paths=${ss(_,d)} count=${d.count} />
            <div class="strip-end small" key=${`${h} now`}>${y.attempts===0?"no traffic":`${M(y.failures,y.attempts)} now`}</div>
          `})}
        <div class="strip-name"></div>
        <${mi} window=${d} end=${u} />
        <div class="strip-end"></div>
      </div>
    </section>
  `}function pi(e){return[...new Set(Xe(e).map(({provider:s})=>s))].slice(0,di).map(s=>{let n=e.filter(({provider:o})=>o===s);return{name:s,own:n,worst:Xe(n)[0]}})}function cn({children:e,class:t="",count:s,label:n,paths:{failed:o,quiet:r},top:i}){return a`
    <div class=${`strip ${t}`} role="img" aria-label=${n}>
      ${i!==void 0&&a`<span class="strip-top">${M(i,1)}</span>`}
      <svg viewBox=${`0 0 ${s} 100`} preserveAspectRatio="none" aria-hidden="true">
        <path class="quiet" d=${r} />
        <path d=${o} />
      </svg>
      ${e}
    </div>
  `}function $i({kind:e,text:t,at:s}){return s===void 0?null:a`
    <span class=${`strip-mark ${e}`} style=${{left:`${s}%`}} title=${t}>
      <span class="only-read">${t}</span>
    </span>
  `}function mi({window:e,end:t}){return a`
    <div class="strip-axis small faint" aria-hidden="true">
      ${un(e).map(s=>{let n=ns(s,e);return n!==void 0&&n>3&&n<88&&a`
          <span key=${s} style=${{left:`${n}%`}}>${ge(new Date(s).toISOString(),t).slice(-5)}</span>
        `})}
      ${e.isNow&&a`<span class="now">now</span>`}
    </div>
  `}function hi(e,t,s){return s?"; the ledger is still being read":t-e<23*fi?`, begins at ${ge(new Date(e).toISOString(),t)}`:", from the ledger"}function dn(e,t){let{attempts:s,failures:n}=pn([...e.values()].map(([o,r])=>({attempts:o,failures:r})));return`${n} of ${s} attempts failed, ${t}`}function pn(e){return e.reduce((t,{attempts:s,failures:n})=>({attempts:t.attempts+s,failures:t.failures+n}),{attempts:0,failures:0})}var gi=5e3,bi=6e4,mn=6e5,hn=5;function gn({route:e}){let{hasAdmin:t}=X();return t?a`<${vi} choice=${qe(e.query,"24h")} />`:a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${pt} what="The overview covers all keys: it needs an admin key." />
      </div>
    `}function $n(e,t,s=[]){let n=L(e,s);return Se(n.reload,t),n}function vi({choice:e}){let{data:t,error:s}=$n(m=>T("/v1/admin/health",{signal:m}),gi),n=H(),{range:o,from:r,to:i}=e,l=[o,r,i,n],{data:u}=$n(async m=>({...await wi(_e(e,D(),n),m),name:l.join()}),bi,l),d=u?.name===l.join()?u:void 0;if(t===void 0)return a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${s?a`<${C} error=${s} title="No health" />`:a`<${A} text="Loading the health of targets" />`}
      </div>
    `;let{text:c,title:f}=Ws(t),p=yi(dt(e,n));return a`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${f}</h1>
        <p class="soft">${c}</p>
      </header>
      <${ki} ...${{choice:e,health:t,figures:d,rangeName:p}} />
      <${fn}
        ...${{health:t,rangeName:p}}
        period=${_e(e,Date.parse(t.at),n)}
      />
      <div class="two">
        <${xi} health=${t} />
        <${Si} ...${{choice:e,figures:d,rangeName:p}} />
      </div>
    </div>
  `}function yi(e){return e.startsWith("Last ")?`the l${e.slice(1)}`:e.replace("This","this")}async function wi({from:e,to:t,isOpen:s},n){let o=new Date(D()-mn).toISOString(),r={from:new Date(e).toISOString(),...!s&&{to:new Date(t).toISOString()}},i=c=>T(`/v1/admin/usage?${new URLSearchParams({...r,...c})}`,{signal:n}),[l,u,d]=await Promise.all([T(`/v1/admin/request_counts?${new URLSearchParams({from:o})}`,{signal:n}),i({group_by:"key,model",limit:"1000"}),i({})]);return{counts:l.data,keys:u.data,total:d.data[0]}}function ki({choice:e,health:t,figures:s,rangeName:n}){let o=new URLSearchParams({sort:"cost_usd"});Ge(o,e);let r=s?.counts.reduce((u,{requests:d,errors:c})=>({requests:u.requests+d,errors:u.errors+c}),{requests:0,errors:0}),i=t.targets.filter(({recent:u})=>u.attempts>0).toSorted((u,d)=>d.recent.attempts-u.recent.attempts)[0],l=r!==void 0&&r.requests>0&&r.errors/r.requests>=.05;return a`
    <dl class="overview-figures">
      <${yt}
        label="Requests per minute"
        value=${r&&Ke(r.requests/(mn/6e4))}
        note="mean of the last 10 min"
      />
      <${yt}
        label="Failed requests, last 10 min"
        value=${r&&M(r.errors,r.requests)}
        note=${r&&`${$(r.errors)} of ${$(r.requests)}`}
        isBad=${l}
        href="#/requests?range=15m&status=error"
      />
      <${yt}
        label="Time to first content"
        value=${i?.first_content_ms==null?"\u2013":x(i.first_content_ms)}
        note=${i?.first_content_ms==null?"no answer in the last 10 min":`${i.provider}, usually ${x(i.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${yt}
        label=${`Spent, ${n}`}
        value=${s&&w(s.total?.cost_usd??0)}
        note=${s&&`${$(s.total?.requests??0)} requests, ${H()}`}
        href=${`#/requests?${o}`}
      />
    </dl>
  `}function yt({label:e,value:t="\u2026",note:s,isBad:n,href:o}){return a`
    <div>
      <dt>${e}</dt>
      <dd class=${`figure-big${n?" bad":""}`}>
        ${o===void 0?t:a`<a href=${o}>${t}</a>`}
      </dd>
      <dd class="faint small">${s??""}</dd>
    </div>
  `}function xi({health:e}){let t=Date.parse(e.at),s=Xe(e.targets);return a`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${Bs(e.thresholds)}>
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
              ${s.slice(0,hn).map(n=>{let{last_failure:o,provider:r,since:i,state:l,upstream:u}=n;return a`
                  <tr role="row" key=${`${r} ${u}`}>
                    <th scope="row" role="rowheader" title=${`${r} ${u}`}>
                      <span class="clip">${r}</span>
                      <span class="clip faint small">${u}</span>
                    </th>
                    <td role="cell">
                      <${Ae} state=${l} />
                    </td>
                    <td role="cell" title=${i}>${i===null?"\u2013":ge(i,t)}</td>
                    <td role="cell" class="evidence">
                      ${o===null?We(n,t):a`
                        <a
                          href=${_i(o)}
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
  `}function _i({request:e,request_time:t}){return`#/requests/${encodeURIComponent(e)}?time=${encodeURIComponent(t)}`}function Si({choice:e,figures:t,rangeName:s}){let n=Oi(t?.keys??[]),o=t?.total?.cost_usd??0,r=new URLSearchParams({by:"key",show:"cost"});return Ge(r,e),a`
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
              ${n.map(({cost:i,key:l,model:u})=>a`
                  <tr key=${l}>
                    <th scope="row"><span class="clip" title=${l}>${l}</span></th>
                    <td><span class="clip soft" title=${u}>${u}</span></td>
                    <td class="number" title=${`$${i}`}>${Is(i,n[0].cost)}</td>
                    <td class="number">${M(i,o)}</td>
                  </tr>
                `)}
            </tbody>
          </table>
        `}
    </section>
  `}function Oi(e){let t=new Map;for(let{cost_usd:s,key:n,model:o}of e){if(!(s>0))continue;let r=t.get(n)??{key:n??"\u2013",cost:0,most:0,model:""};r.cost+=s,s>r.most&&Object.assign(r,{most:s,model:o??"\u2013"}),t.set(n,r)}return[...t.values()].toSorted((s,n)=>n.cost-s.cost).slice(0,hn)}var io={};xe(io,{default:()=>ro});function vn(e){return e.map((t,s)=>s===0?t:t.slice(t.indexOf(`
`)+1)).join("")}function wt(e,t){Gs(e,t,"text/csv")}var Ti=30*864e5,Ci=1e3;function kt(e){let[t,s]=k({}),n=U(new Set);return{load:async r=>{if(n.current.has(r))return;n.current.add(r);let l={from:new Date(Date.now()-Ti).toISOString(),group_by:r,limit:String(Ci)};try{let{data:u}=await T(B(e,"usage",l)),d=u.flatMap(c=>c[r]??[]);s(c=>({...c,[r]:d}))}catch{n.current.delete(r)}},of:r=>t[r]??[]}}var Mi=200;function xt(e){let{label:t,words:s,current:n,placeholder:o,onAdd:r,onRemove:i,clear:l}=e,{session:u,completed:d,offered:c,shownOf:f}=e,p=kt(u),m=O=>[...new Set([...f?.(O)??[],...p.of(O)])],[g,h]=k(""),[v,b]=k(""),_=U(null);K(()=>{h(""),b("")},[n]);let y=O=>{O.preventDefault();let I=r(g,m)??"";b(I),I===""&&h("")},S=O=>{let I=s.at(-1);O.key==="Backspace"&&g===""&&I!==void 0?i(I.filter):O.key==="Escape"&&_.current.blur()};return a`
    <form class="filter-bar" role="search" aria-label=${t} onSubmit=${y}>
      <div class="filter-line">
        <${$e} name="search" />
        ${s.map(O=>a`<${qi} key=${O.filter} word=${O} onRemove=${()=>i(O.filter)} />`)}
        <input
          ref=${_}
          aria-label="Add a filter"
          aria-keyshortcuts="Alt+Shift+F"
          aria-invalid=${v!==""?"true":void 0}
          aria-describedby="filter-fault"
          autocomplete="off"
          spellcheck=${!1}
          placeholder=${o}
          list="filter-words"
          value=${g}
          onInput=${({target:{value:O}})=>{h(O);let{filter:I}=yn(O);d.includes(I)&&p.load(I)}}
          onKeyDown=${S}
        />
        <datalist id="filter-words">
          ${Ai(g,d,c,m).map(O=>a`<option key=${O} value=${O} />`)}
        </datalist>
        ${l!==void 0&&a`<a class="button quiet" href=${l}>Clear</a>`}
      </div>
      <p class="fault" id="filter-fault" role="status">${v}</p>
      ${e.children}
    </form>
  `}function qi({word:{name:e,sign:t,value:s},onRemove:n}){let o=`${e}${t}${s}`;return a`
    <span class="chip">
      <span title=${o}>${e}<i>${t}</i><b>${s}</b></span>
      <button type="button" aria-label=${`Remove ${o}`} onClick=${n}>
        <${$e} name="close" size=${10} />
      </button>
    </span>
  `}function Ai(e,t,s,n){let{filter:o,part:r}=yn(e);if(t.includes(o)){let d=e.slice(0,e.length-r.length);return n(o).filter(c=>c.includes(r)).sort().slice(0,Mi).map(c=>d+(/\s/.test(c)?`"${c}"`:c))}let[,i,l]=/^(.*?)(\S*)$/s.exec(e),u=t.map(d=>`${d==="end_user"?"user":d}:`);return[...s,...u].filter(d=>d.startsWith(l)).map(d=>i+d)}function yn(e){let[,t="",s=""]=/(?:^|\s)([a-z_]+):(\S*)$/.exec(e)??[];return{filter:t==="user"?"end_user":t,part:s}}var be=new Map([["fallback","Fallback"],["retry","Retry"],["hedge","Hedge"],["cache","Cache"],["queued","Queued"],["sticky","Sticky"]]),Ri=new Map([["status","status"],["key","key"],["model","model"],["provider","provider"],["tag","tag"],["user","end_user"],["end_user","end_user"],["session","session"],["path","path"],["id","id"]]),Ei=new Map([["cost","min_cost_usd"],["ms","min_ms"],["duration","min_ms"]]),Li=new Set(["key","model","provider","tag","end_user"]),Ni=/^\d{1,15}(\.\d{1,9})?$/,Ii=new Map([["ms",1],["s",1e3],["min",6e4],["m",6e4],["h",36e5]]);function Pi(e,t="ms"){let[,s,n=t]=/^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(e.trim())??[];if(s!==void 0)return String(Math.round(Number(s)*Ii.get(n.toLowerCase())))}function os(e){return(e.match(/(?:[^\s"]|"[^"]*"?)+/g)??[]).map(t=>t.replaceAll('"',""))}function wn(e,t,s){let n={...t};for(let o of os(e)){let r=Di(n,o,s);if(r!==void 0)return{fault:r}}return{filters:n}}function Di(e,t,s){let n=/^([a-z_]+)>=?(.*)$/i.exec(t);if(n!==null)return Fi(e,n[1].toLowerCase(),n[2]);let[,o="",r=""]=/^([a-z_]+):(.*)$/i.exec(t)??[],i=Ri.get(o.toLowerCase());if(i===void 0&&/^failed$/i.test(t))e.status="error";else if(i===void 0)e.id=t;else{if(r==="")return`'${o}:' needs a value`;if(i==="status")return Ui(e,r.toLowerCase());if(i==="path")return Bi(e,r.toLowerCase());e[i]=Li.has(i)?ji(r,s(i)):r}}function Fi(e,t,s){let n=Ei.get(t);if(n===void 0)return`'${t}' has no amount: use cost>0.3 or ms>5000`;if(n==="min_cost_usd"){let r=s.replace(/^\$/,"");if(!Ni.test(r))return"A cost is a number: cost>0.25";e.min_cost_usd=r;return}let o=Pi(s,t==="ms"?"ms":"s");if(o===void 0)return"A duration is a number: ms>1500 or duration>1.5s";e.min_ms=o}function Ui(e,t){let s=t==="failed"?"error":t;if(!/^(ok|error|[1-5]\d\d)$/.test(s))return"A status is ok, error, or a number: status:429";e.status=s}function Bi(e,t){if(!be.has(t))return`A path is ${[...be.keys()].join(", ")}`;e.path=t}function ji(e,t){return e.includes("*")||t.includes(e)?e:/[:=]$/.test(e)?`${e}*`:`*${e}*`}function kn(e){return Je.filter(t=>e[t]!=="").map(t=>{let s=e[t];return t==="min_ms"?{filter:t,name:"ms",sign:">",value:s}:t==="min_cost_usd"?{filter:t,name:"cost",sign:">",value:s}:{filter:t,name:t==="end_user"?"user":t,sign:":",value:s}})}var Hi=["key","model","provider","tag","end_user"],Ki=["status:error","status:ok","status:429","cost>","ms>","session:"];function xn({filters:e,rows:t=[],session:s,opened:n,time:o}){let r=u=>location.hash=q(u,n,o),i=(u,d)=>{let c=wn(u,e,d);return c.fault===void 0&&r(c.filters),c.fault},l=q({...Oe(e),sort:e.sort,order:e.order},n,o);return a`
    <${xt}
      label="Filter the requests"
      words=${kn(e)}
      current=${q(e,n,o)}
      placeholder="Add a filter: status:error, model:, tag:team:, cost>0.3, ms>5000, an ID"
      session=${s}
      completed=${Hi.filter(u=>u!=="key"||s.hasAdmin)}
      offered=${Ki}
      shownOf=${u=>t.flatMap(d=>u==="tag"?d.tags:d[u]??[])}
      onAdd=${i}
      onRemove=${u=>r({...e,[u]:""})}
      clear=${Ve(e)?l:void 0}
    >
      <${Wi} filters=${e} onChange=${r} />
      <//>
  `}function Wi({filters:e,onChange:t}){let s=[["status","error","Failed"],...[...be].map(([n,o])=>["path",n,o])];return a`
    <div class="quick" role="group" aria-label="Usual filters">
      ${s.map(([n,o,r])=>{let i=e[n]===o;return a`
          <button type="button" key=${o} aria-pressed=${String(i)}
            onClick=${()=>t({...e,[n]:i?"":o})}>
            ${o==="error"&&a`<span class="st failed only" aria-hidden="true"></span>`}
            ${r}
          </button>
        `})}
    </div>
  `}var _n="abandoned";function rs({error:e,status:t}){return e!==_n&&((e??null)!==null||t>=400)}function Gi({attempts:e=[]}){return e.findLast(t=>t.error===null&&t.status<400)}function Sn(e){let{attempts:t=[],error:s,queued_ms:n,response_cache:o,status:r}=e,i=n>0?`Waited ${x(n)} in the queue. `:"";if(o==="hit"&&t.length===0){let l=e.saved_usd>0?`, which saved ${w(e.saved_usd)}`:"";return`${i}Answered by the cache${l}.`}return r===499?`${i}The client stopped after ${x(e.ms)}.`:s!==null?i+Xi(e):i+Ji(e)}function Xi({attempts:e=[],error:t,status:s}){let n=`the client got ${s} ${t}`;if(e.length===0)return`No provider was tried: ${n}.`;let o=[...new Set(e.map(({provider:r})=>r))];return e.length===1?`${o[0]} failed with ${e[0].error??t}: ${n}.`:o.length===1?`All ${e.length} attempts at ${o[0]} failed: ${n}.`:`All ${e.length} attempts failed, at ${On(o)}: ${n}.`}function Ji(e){let{attempts:t=[]}=e,s=Gi(e),n=s?.provider??e.provider??"The target",o=e.first_token_ms??e.ms;if(e.hedged&&s!==void 0){let u=t.find(d=>d!==s&&!rs(d))?.provider??"the first target";return s.hedge?`${u} was slow; the hedge at ${n} won after ${x(o)}.`:`${n} answered after ${x(o)}; the hedge at ${u} was not used.`}let r=t.filter(rs);if(r.length===0)return`Answered by ${n} after ${x(o)}.`;let i=[...new Set(r.map(l=>l.provider))];return i.every(l=>l===n)?`${n} answered after ${x(o)}, at attempt ${t.length}.`:`${On(i)} failed (${r[0].error??r[0].status}); ${n} answered after ${x(o)}.`}function On(e){return e.length===1?e[0]:`${e.slice(0,-1).join(", ")} and ${e.at(-1)}`}function Tn(e){let{attempts:t=[],first_token_ms:s,ms:n,queued_ms:o}=e,r=t.map(i=>({kind:i.hedge?"hedge":"attempt",tone:i.error===_n?"unused":rs(i)?"bad":"good",start:i.started_ms,length:i.ms,attempt:i})).toSorted((i,l)=>i.start-l.start);return o>0&&r.unshift({kind:"queue",tone:"wait",start:0,length:o}),s!=null&&n>s&&r.push({kind:"stream",tone:"stream",start:s,length:n-s}),r}var Vi=1e6,Zi=1e-9;function Cn(e){let{prices:t}=e;if(t==null)return[];let s=e.cached_input_tokens??0,n=e.cache_write_tokens??0,o=e.reasoning_tokens??0,r=(u,d,c)=>({name:u,amount:d,price:c,usd:d*c/Vi}),i=[r("Input",(e.input_tokens??0)-s-n,t.input),r("Input, cached",s,t.cachedInput??t.input),r("Input, written to the cache",n,t.cacheWrite??t.input),r("Output",(e.output_tokens??0)-o,t.output),r("Output, reasoning",o,t.output),...gt.filter(({id:u})=>t.units?.[u]!==void 0).map(u=>{let[d,c]=[e[u.id]??0,t.units[u.id]];return{name:u.title,amount:d,price:c,unit:u,usd:d*c}})].filter(({amount:u})=>u>0),l=(e.cost_usd??0)-i.reduce((u,{usd:d})=>u+d,0);return e.cost_usd!=null&&Math.abs(l)>Zi&&i.push({name:"Other attempts and rates",amount:null,price:null,usd:l}),i}function Mn(e){let t=new Map([["hit","stayed at its target"],["moved","moved to another target"],["new","began here"]]);return[["Alias",e.alias],["Why this target",e.route],["Session",t.get(e.affinity)??e.affinity],["Chosen by price",e.price_ordered&&Qi(e.price_order_saved_usd)],["Waited in the queue",e.queued_ms>0&&x(e.queued_ms)],["Response cache",e.response_cache],["Saved",e.saved_usd>0&&w(e.saved_usd)],["Hedge",e.hedged&&`cost ${w(e.hedge_usd??0)}`],["Writing the cache",e.cache_write_usd>0&&w(e.cache_write_usd)],["Service tier",e.prices?.tier],["Prices of long prompts",e.prices?.long&&"yes"]].filter(([,s])=>s)}function qn({attempts:e=[]}){return e.flatMap(({corrections:t=[],provider:s})=>t.map(({fields:n,sent_as:o})=>[o===null?"Left out":"Sent under another name",o===null?`${n.join(", ")}: ${s} refuses it`:`${n.join(", ")} as ${o} at ${s}`]))}function An(e,t){if(t===void 0||t.requests<Yi)return[];let s=[{name:"Queue",value:e.queued_ms??0},{name:"First content",value:e.first_token_ms??0,usual:t.first_token_p50_ms},{name:"All",value:e.ms,usual:t.p50_ms,most:t.p95_ms}].filter(({value:r})=>r>0),n=Math.max(...s.flatMap(({value:r,usual:i,most:l})=>[r,i??0,l??0])),o=r=>Math.round(1e3*r/n)/10;return s.map(r=>({...r,at:o(r.value),...r.usual!=null&&{band:[o(r.usual),o(r.most??r.usual)]}}))}var Yi=5;function Rn(e){return e.filter(({usual:t})=>t!=null).map(({most:t,name:s,usual:n,value:o})=>{let r=s==="All"?"The whole request":"The first content",i=s==="All"?"took":"came after",l=o/n,u=t!==void 0&&o>t?"longer than 95 % of the requests":l>=1.1?`${l.toFixed(1)} times the usual ${x(n)}`:`usually ${x(n)}`;return`${r} ${i} ${x(o)}, ${u}.`}).join(" ")}function Qi(e){return e>0?`saved ${w(e)}`:"yes"}function En({cost_usd:e,input_tokens:t,output_tokens:s,usage_source:n}){if(n===void 0||n==="none")return"";let o=e===null?"price unknown":w(e);return`${$(t)} + ${$(s)} tokens, ${o}`}var Le={rows:void 0,next:null,error:void 0,isLoading:!0,isLoadingMore:!1,isSorting:!1,moreError:void 0};function is({data:e,next:t}){return{...Le,isLoading:!1,rows:e,next:t}}function as(e,{data:t,next:s}){let n=[...e.rows,...t];return{...e,isLoadingMore:!1,rows:n,next:s}}function Nn(e,t){if(e.rows===void 0)return e;let s=new Set(e.rows.map(Qe)),n=t.data.filter(i=>!s.has(Qe(i)));if(n.length===0)return e.moreError?{...e,moreError:void 0}:e;if(n.length===t.data.length&&t.has_more||e.rows.length+n.length>500)return is(t);let r=[...n,...e.rows].sort((i,l)=>i.time<l.time?1:i.time>l.time?-1:0);return{...e,rows:r,moreError:void 0}}function In(e,{data:t,next:s},{sort:n,order:o},r){let i=o==="asc"?1:-1,l=(d,c)=>{let[f,p]=[Ln(d,n),Ln(c,n)];return f===p?0:i*(f<p?-1:1)},u=[...e.rows??[],...t].sort(l).slice(0,r);return{...Le,isLoading:!1,isSorting:s!==null,rows:u}}var zi=["cache","hedge","fallback","retry","queued","sticky"];function Ln(e,t){if(t==="path")return zi.indexOf(e.path[0]);let s=e[t];return typeof s=="string"?s.replace(/[A-Z]+/g,n=>n.toLowerCase()):s}function Qe({id:e,time:t}){return`${t} ${e}`}var _t=499;function Dn({rows:e,filters:t,opened:s,showsKey:n,note:o,onSort:r}){let i={id:t.sort||"time",isRising:t.order==="asc"},l=({id:c,isRising:f})=>r(c==="time"&&!f?{sort:"",order:""}:{sort:c,order:f?"asc":""}),u=G(()=>ta(n),[n,H()]),d=e.find(({id:c})=>c===s);return a`
    <p class=${o===""?"only-read":"hint"} role="status">${o}</p>
    <${j}
      label="Requests"
      columns=${u}
      rows=${e}
      idOf=${Qe}
      hrefOf=${c=>q(t,c.id,c.time)}
      actionsOf=${c=>ea(c,t)}
      order=${i}
      onOrder=${l}
      current=${d&&Qe(d)}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>location.hash=q(t)}
    />
  `}function ea(e,t){let s=(n,o)=>e[n]==null?[]:[{text:`All of this ${o}`,href:q({...Oe(t),[n]:e[n]})}];return[{text:"Open",href:q(t,e.id,e.time)},{text:"Copy ID",copy:e.id},...s("model","model"),...s("provider","provider"),...s("key","key"),...s("session","session")]}function ta(e){return[{id:"time",title:"Time",card:"c",of:({time:t})=>t,cell:sa},{id:"status",title:"Status",card:"b",of:({status:t})=>t,cell:t=>a`<${ze} row=${t} />`},ls("model","Model",{card:"a"}),ls("provider","Provider",{panel:"hide"}),...e?[ls("key","Key",{panel:"hide"})]:[],{id:"path",title:"Path",panel:"low",isRisingFirst:!0,of:({path:t})=>t[0],cell:na},{id:"ms",title:"Duration",isNumber:!0,panel:"low",of:({ms:t})=>t,text:x},{id:"first_token_ms",title:"First",hint:"Time to first content",isNumber:!0,panel:"hide",of:t=>t.first_token_ms,text:x},Pn("input_tokens","In"),Pn("output_tokens","Out"),{id:"attempt_count",title:"Attempts",isNumber:!0,panel:"hide",of:t=>t.attempt_count>1?t.attempt_count:void 0},{id:"cost_usd",title:"Cost",isNumber:!0,card:"d",of:t=>t.cost_usd,cell:oa}]}function Pn(e,t){return{id:e,title:t,hint:`${t==="In"?"Input":"Output"} tokens`,isNumber:!0,panel:"hide",of:s=>us(s)?s[e]:void 0,cell:s=>ra(s[e],us(s),s.usage_source==="estimated")}}function us({usage_source:e}){return e!=="none"}function sa(e){let t=e.path.map(s=>`, ${s}`).join("");return a`
    <span title=${`${J(e.time)}, ${e.id}`}>${oe(e.time)}</span>
    <span class="phone-only">, ${x(e.ms)}${t}</span>
  `}function ls(e,t,s){return{id:e,title:t,isRisingFirst:!0,of:n=>n[e],...s,text:n=>a`<${ae} text=${n} />`}}function na({path:e}){return e.map(t=>a`<span key=${t} class="badge">${be.get(t)}</span>`)}function oa(e){return e.cost_usd==null?us(e)?a`<span class="faint">unknown</span>`:"\u2013":a`<span title=${`$${e.cost_usd}`}>${w(e.cost_usd)}</span>`}function ze({row:e,isLong:t=!1}){let{error:s,status:n}=e,o=n!==_t&&(n>=400||s!=null),r=n===_t?"stopped":o?"failed":"ok",i=n===_t?"Stopped by the client":s??void 0;return a`
    <span class=${`st ${r}`} title=${i}>${n}</span>
    ${t&&n===_t&&a`<span class="soft small"> stopped by the client</span>`}
    ${t&&o&&s&&a`<span class="error-code small"> ${s}</span>`}
  `}function ra(e,t,s){return t?s?a`<span title="Estimated: the vendor reported no usage">≈ ${$(e)}</span>`:$(e):"\u2013"}var Fn=.8,ia=.1;function Un({row:e}){let t=Tn(e),s=Math.max(ia,e.ms,...t.map(({start:o,length:r})=>o+r)),n=t.filter(({attempt:o})=>o!==void 0);return a`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${t.map((o,r)=>o.attempt===void 0?a`
              <${cs}
                key=${o.kind}
                title=${o.kind==="queue"?"Waited in the queue":"Stream, from the first content"}
                text=${Bn(o)}
                start=${o.start}
                length=${o.length}
                total=${s}
                tone=${o.tone}
              />
            `:a`
              <${aa} key=${r} lane=${o} number=${n.indexOf(o)+1}
                total=${s} />
            `)}
        <${cs}
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
  `}function aa({lane:e,number:t,total:s}){let{attempt:n,kind:o,length:r,start:i,tone:l}=e,{provider:u,model:d,status:c,error:f,vendor_text:p}=n,m=En(n);return a`
    <${cs}
      title=${a`
        ${t}. <span class="mono wrap-anywhere">${d}</span>
        <span class="soft"> at </span><span class="mono">${u}</span>
        ${o==="hedge"&&a`<span class="soft">, the hedge</span>`}
      `}
      text=${Bn(e)}
      start=${i}
      length=${r}
      total=${s}
      tone=${l}
    >
      <p class="row outcome">
        ${l==="unused"?a`<span class="badge">not used</span>`:a`
          <span class=${`badge ${l}`}>${c??"\u2013"}</span>
          ${f?a`<span class="error-code">${f}</span>`:"answered"}
        `}
        ${ca(n).map(g=>a`<span key=${g} class="soft wrap-anywhere">${g}</span>`)}
        ${m!==""&&a`<span class="faint">${m}</span>`}
      </p>
      ${p&&a`<blockquote class="vendor-words wrap-anywhere">${p}</blockquote>`}
      <//>
  `}function Bn({length:e,start:t}){return t<1?x(e):`${x(e)}, after ${x(t)}`}var la=new Map([["other_key","then with another key"],["retry","then again"],["resent","then sent again on a new connection"],["next_target","then the next target"],["continued","then continued by another target"]]),ua=new Map([["wait_too_long","not again: the wait is too long"],["deadline","not again: the deadline is too near"],["breaker_open","not again: its breaker is open"]]);function ca({cause:e,corrections:t=[],next:s,reason:n,wait_ms:o}){let r=s==="retry"&&o!==null;return[e,...t.map(({fields:i,sent_as:l})=>l===null?`sent again without ${i.join(", ")}`:`sent again with ${i.join(", ")} as ${l}`),n&&(ua.get(n)??n),o!=null&&!r&&`asked to wait ${x(o)}`,r?`then again after ${x(o)}`:la.get(s)].filter(i=>i)}function cs({title:e,text:t,start:s,length:n,total:o,tone:r,mark:i,children:l}){let u=c=>`${(100*c/o).toFixed(2)}%`,d=Math.max(Fn,100*n/o);return a`
    <li>
      <div class="row spread"><span>${e}</span><span class="soft small">${t}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${r}`}
          style=${{left:u(Math.min(s,o*(1-Fn/100))),width:`${d.toFixed(2)}%`}}
        ></span>
        ${i!=null&&a`<span class="mark" style=${{left:u(i)}}></span>`}
      </div>
      ${l}
    </li>
  `}function Kn({id:e,time:t,session:s,filters:n,rows:o=[]}){let r=o.findIndex(f=>f.id===e&&(t===null||f.time===t)),i=t===null?{}:{time:t},l=B(s,`requests/${encodeURIComponent(e)}`,i),{data:u,error:d}=L(f=>T(l,{signal:f}),[l]),c=U(null);return K(()=>c.current.focus(),[]),a`
    <section class="details card" aria-label="Details of the request">
      <header>
        <h2 ref=${c} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${jn} row=${o[r-1]} filters=${n} icon="up" keys="K"
            label="Newer request" />
          <${jn} row=${r<0?void 0:o[r+1]} filters=${n} icon="down"
            keys="J" label="Older request" />
          <a class="button quiet icon close" href=${q(n)} title="Close"
            aria-label="Close the request" aria-keyshortcuts="Alt+Shift+X">
            <${$e} name="close" />
          </a>
        </span>
      </header>
      <div class="stack padded">
        <p class="row id-row">
          <code class="wrap-anywhere">${e}</code>
          <${se} text=${e} label="Copy ID" />
        </p>
        <${C} error=${d} title="The request cannot be shown" />
        ${!u&&!d&&a`<${A} />`}
        ${u&&a`
          <p class="said">${Sn(u)}</p>
          <${da} row=${u} filters=${n} />
          <${Un} row=${u} />
          <${$a} row=${u} session=${s} />
          <${fa} row=${u} />
          <${St} title="Route" facts=${Mn(u)} />
          <${St} title="Client" facts=${ga(u,n)} />
          <${St} title="Corrections" facts=${qn(u)} />
          <${St} title="Request" facts=${ba(u,n)} />
          <p class="hint">The receipt of ignored, converted and added parameters is in the headers
            <code>x-sluice-ignored</code>, <code>x-sluice-converted</code> and${" "}
            <code>x-sluice-added</code> of the answer; the ledger does not store it.</p>
          ${s.hasService&&u.model!==null&&ha(u)&&a`
            <p>
              <a class="button" href=${`#/playground?${new URLSearchParams({model:u.model})}`}
                title="Its content is not stored">Open its model in the playground</a>
            </p>
          `}
        `}
      </div>
    </section>
  `}function da({row:e,filters:t}){return e.path.length===0?null:a`
    <p class="row" aria-label="Path">
      ${e.path.map(s=>a`<a key=${s} class="badge" href=${q({...Oe(t),path:s})}>${be.get(s)}</a>`)}
    </p>
  `}function fa({row:e}){let t=Cn(e);return t.length===0?null:a`
    <section class="stack" aria-labelledby="cost-title">
      <h3 id="cost-title">Cost</h3>
      <${Re} label="Cost by line" class="cost-lines">
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
                  ${o===null?"\u2013":r===void 0?`${Ps(o)} per M`:Js(r,o)}
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
  `}function St({title:e,facts:t}){if(t.length===0)return null;let s=`${e.toLowerCase()}-title`;return a`
    <section class="stack" aria-labelledby=${s}>
      <h3 id=${s}>${e}</h3>
      <${te} class="request-facts" facts=${t} />
    </section>
  `}var pa=864e5;function $a({row:e,session:t}){let s=Date.parse(e.time),[n,o]=[s-pa,s].map(u=>new Date(u).toISOString()),r=e.model===null?void 0:B(t,"usage",{from:n,to:o,model:e.model}),{data:i}=L(async u=>r===void 0?void 0:await T(r,{signal:u}),[r]),l=i?An(e,i.data[0]):[];return l.length===0?null:a`
    <section class="stack" aria-labelledby="usual-title">
      <div class="row spread">
        <h3 id="usual-title">Time against usual</h3>
        <span class="soft small">${e.model}, 24 h</span>
      </div>
      <div class="usual">
        ${l.map(({band:u,name:d,at:c,value:f})=>a`
            <span key=${d}>${d}</span>
            <i aria-hidden="true">
              ${u&&a`<b style=${{left:`${u[0]}%`,width:`${u[1]-u[0]}%`}}></b>`}
              <u style=${{left:`${c}%`}}></u>
            </i>
            <span class="num">${x(f)}</span>
          `)}
      </div>
      <p class="soft small">${Rn(l)}</p>
    </section>
  `}function jn({row:e,filters:t,icon:s,keys:n,label:o}){return e===void 0?null:a`
    <a class="button quiet icon" href=${q(t,e.id,e.time)} aria-label=${o}
      title=${o} aria-keyshortcuts=${`Alt+Shift+${n}`}>
      <${$e} name=${s} />
    </a>
  `}var ma=new Set(["chat_completions","completions","messages","responses","gemini","ollama"]);function ha({format:e}){return ma.has(e)}function Wn(e){return(t,s)=>s&&a`<${va} key=${s} name=${t} value=${s} filters=${e} />`}function ga(e,t){let s=Wn(t);return[["Key",s("key",e.key)],["Team",e.team],["Owner",e.owner],["Agent",e.agent],["Started by agent",e.parent_agent],["API",e.format],["Session",s("session",e.session)],["End user",s("end_user",e.end_user)],["Tags",e.tags?.length>0&&e.tags.map(n=>s("tag",n))]].filter(([,n])=>n)}function ba(e,t){let s=e.usage_source!=="none",n=Wn(t);return[["Ended",J(e.time)],["Status",a`<${ze} isLong=${!0} row=${e} />`],["Model",n("model",e.model)??a`<${$t} value=${null} />`],["Provider",e.provider?n("provider",e.provider):"none"],["Upstream",e.upstream&&a`<code class="wrap-anywhere">${e.upstream}</code>`],["Input",s&&Hn(e.input_tokens,[["cached",e.cached_input_tokens],["written to the cache",e.cache_write_tokens]])],["Output",s&&Hn(e.output_tokens,[["reasoning",e.reasoning_tokens]])],...Ee([e]).map(({id:o,title:r,text:i})=>[r,i(e[o])]),["Usage",ya.get(e.usage_source)??e.usage_source],["Cost",s&&a`<${$t} value=${e.cost_usd} format=${w} />`],["Attempts",e.attempt_count],["First token",e.first_token_ms!=null&&x(e.first_token_ms)],["Duration",x(e.ms)]].filter(([,o])=>o)}function va({name:e,value:t,filters:s}){if(t===null)return a`<${$t} value=${t} />`;let n=q({...Oe(s),[e]:t});return a`
    <a class="mono wrap-anywhere" href=${n} title="All requests with this value">${t}</a>
  `}var ya=new Map([["vendor","reported by the vendor"],["estimated","estimated, since the vendor reported none"],["none","none"]]);function Hn(e,t){let s=t.filter(([,n])=>n>0).map(([n,o])=>`${$(o)} ${n}`);return`${$(e)} tokens${s.length>0?` (${s.join(", ")})`:""}`}function Ne(e){let[t,s]=k(0);return As(()=>{s(Math.floor(e.current.clientWidth));let n=new ResizeObserver(([o])=>s(Math.floor(o.contentRect.width)));return n.observe(e.current),()=>n.disconnect()},[]),t}function Gn(e){let[{from:t,to:s,step_seconds:n}]=e,o=n*1e3,r=Date.parse(t),i=[];for(let l=r;l<Date.parse(s);l+=o)i.push({start:l,end:l+o,requests:0,errors:0});for(let{start:l,requests:u,errors:d}of e.flatMap(({data:c})=>c)){let c=i[Math.round((Date.parse(l)-r)/o)];c!==void 0&&(c.requests+=u,c.errors+=d)}return i}function Xn(e,t){if(e===null||t.length===0)return null;let[{start:s,end:n}]=t;if(e.step!==n-s)return null;let o=Math.round((s-e.first)/e.step),[r,i]=et(e),l=t.length-1;if(i-o<0||r-o>l)return null;let u=d=>Math.min(l,Math.max(0,d-o));return{anchor:u(e.anchor),focus:u(e.focus)}}function et({anchor:e,focus:t}){return[Math.min(e,t),Math.max(e,t)]}function Jn(e,{key:t,shiftKey:s},n){let o=n-1,r=e?.focus??(t==="ArrowRight"?-1:n),i={ArrowLeft:Math.max(0,r-1),ArrowRight:Math.min(o,r+1),PageUp:Math.max(0,r-10),PageDown:Math.min(o,r+10),Home:0,End:o};if(!Object.hasOwn(i,t)||o<0)return;let l=i[t];return{anchor:s&&e!==null?e.anchor:l,focus:l}}function Vn({from:e,to:t},s){let n=t-e,o=Math.min(t+n,s);return{from:o-3*n,to:o}}function Zn(e){if(e<2)return[1,0];let t=10**Math.floor(Math.log10(e)),s=[1,2,4,6,8,10].map(n=>n*t).find(n=>n>=e);return[s,s/2,0]}function Yn({requests:e,errors:t},s,n){if(e===0||s===0)return{others:0,errors:0};let o=Math.max(2,e/s*n),r=t===0?0:Math.min(o,Math.max(2,t/s*n));return{others:o-r,errors:r}}var Ie=64,wa=366*864e5;function zn({intervals:e,isComplete:t,isCustom:s,onZoom:n}){let[o,r]=k(null),i=Xn(o,e),[{start:l,end:u}]=e,d=v=>r(v&&{...v,first:l,step:u-l}),c=i===null?e:xa(e,i),f={from:l,to:e.at(-1).end},p=v=>{let[b,_]=et(v);d(null),n(e[b].start,e[_].end)},m=()=>{let{from:v,to:b}=Vn(f,D());n(v,b)},g=Zn(e.reduce((v,{requests:b})=>Math.max(v,b),0)),h=s&&f.to-f.from<wa/3;return a`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${_a(c,i===null,t)}</b> <span class="faint small">${Vs(e[0].end-l)} a bar; drag, or use Shift and arrow
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
        <${ka}
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
  `}function ka({axis:e,intervals:t,selection:s,onSelect:n,onZoom:o,onWiden:r}){let i=U(null),l=Ne(i),u=U(null),d=l/t.length,[c]=e,[f,p]=s===null?[-1,-2]:et(s),m=y=>{let S=y.clientX-i.current.getBoundingClientRect().left;return Math.min(t.length-1,Math.max(0,Math.floor(S/d)))};return a`
    <div
      class="histogram-bars"
      ref=${i}
      tabindex="0"
      role="group"
      aria-label="Select a time: arrow keys move, Shift and arrow keys extend, Enter shows only it,
        Escape clears, minus zooms out"
      onPointerDown=${y=>{if(y.button!==0)return;i.current.setPointerCapture(y.pointerId);let S=m(y);u.current={anchor:S,focus:S},n(u.current)}}
      onPointerMove=${y=>{u.current!==null&&(u.current={...u.current,focus:m(y)},n(u.current))}}
      onPointerUp=${()=>{let y=u.current;u.current=null,y!==null&&y.anchor!==y.focus&&o(y)}}
      onPointerCancel=${()=>{u.current=null,n(null)}}
      onKeyDown=${y=>{if(y.ctrlKey||y.metaKey||y.altKey)return;let S=Jn(s,y,t.length);if(S!==void 0)n(S);else if(y.key==="Enter"&&s!==null)o(s);else if(y.key==="Escape"&&s!==null)n(null);else if(y.key==="-"&&r!==void 0)r();else return;y.preventDefault(),y.stopPropagation()}}
    >
      <svg width=${l} height=${Ie} aria-hidden="true">
        ${f>=0&&a`
          <rect class="hovered" x=${f*d} y="0" width=${(p-f+1)*d}
            height=${Ie} />
        `}
        ${e.slice(0,-1).map((y,S)=>a`
            <line key=${y} class="grid-line" x1="0" x2=${l}
              y1=${Ie*S/(e.length-1)+.5}
              y2=${Ie*S/(e.length-1)+.5} />
          `)}
        <path class="volume" d=${Qn(t,c,d,!1)} />
        <path class="errors" d=${Qn(t,c,d,!0)} />
      </svg>
    </div>
  `}function Qn(e,t,s,n){let o=Math.max(1,s-1);return e.map((r,i)=>{let{errors:l,others:u}=Yn(r,t,Ie),d=n?l:u;if(d===0)return"";let c=Ie-l-(n?0:u);return`M${(i*s).toFixed(1)} ${c.toFixed(1)}h${o.toFixed(1)}v${d.toFixed(1)}h${(-o).toFixed(1)}z`}).join("")}function xa(e,t){let[s,n]=et(t);return e.slice(s,n+1)}function _a(e,t,s){let n=d=>e.reduce((c,f)=>c+f[d],0),[o,r]=[n("requests"),n("errors")],i=[`${s?"":"\u2265 "}${P(o,"request")}`,`${$(r)} failed`];if(t)return i.join(", ");let[l,u]=[e[0].start,e.at(-1).end];return`${i.join(", ")} from ${Ze(l)} to ${Ze(u)}`}var Ot=50,tt=200,Sa=2e3,Oa=1e4,Ta=30,Ca=30,eo=50,to=1e3,Tt=eo*to;function so(e,t,s){let[n,o]=k(0),[r,i]=k(Le),l=`${q(t)} ${H()}`,u=[e.hasAdmin,l,n],d=Ks(u),c=U(void 0);K(()=>{let h=new AbortController;c.current=ht(t,D(),H()),c.current.set("limit",String(Ot)),i(_=>({..._,isLoading:!0}));let{signal:v}=h;return(t.sort===""?Ma(e,c.current,v,i):qa(e,t,c.current,v,i)).then(_=>v.aborted||i(_),_=>v.aborted||i(({rows:y})=>({...Le,..._.isPassing&&{rows:y},isLoading:!1,error:_}))),()=>h.abort()},u);let f=U(new AbortController);K(()=>{let h=new AbortController;return f.current=h,()=>h.abort()},[...u,s]),Se(async()=>{let{signal:h}=f.current;try{let v=await st(e,c.current,void 0,h);h.aborted||i(b=>Nn(b,v))}catch(v){h.aborted||i(b=>({...b,moreError:v}))}},Sa,s);let m=async()=>{let h=c.current;i(v=>({...v,isLoadingMore:!0,moreError:void 0}));try{let v=0,{next:b}=r;for(;v<Ot&&b!==null&&c.current===h;){let _=await st(e,h,b);if(c.current!==h)return;v+=_.data.length,{next:b}=_;let y=v>=Ot||b===null;i(S=>({...as(S,_),isLoadingMore:!y}))}}catch(v){if(c.current!==h)return;i(b=>({...b,isLoadingMore:!1,moreError:v}))}},g=()=>o(h=>h+1);return Qt(r.error,g),{...r,isLoading:r.isLoading||d,loadMore:m,reload:g}}async function Ma(e,t,s,n){let o=is(await st(e,t,void 0,s));for(;o.rows.length<Ot&&o.next!==null&&!s.aborted;)n({...o,isLoadingMore:!0}),o=as(o,await st(e,t,o.next,s));return o}async function qa(e,t,s,n,o){let r=new URLSearchParams(s);r.set("limit",String(tt)),r.set("sort",t.sort),t.order!==""&&r.set("order",t.order);let i=Le,l;for(let u=0;l!==null&&u<Ca;u++){let d=await st(e,r,l,n);i=In(i,d,t,tt),n.aborted||o(i),l=d.next}return i}function st(e,t,s,n){let o=new URLSearchParams(t);return s!==void 0&&o.set("before",s),T(B(e,"requests",o),n&&{signal:n})}function no(e,t,s){let[n,o]=k({pages:void 0,isComplete:!1,error:void 0}),[r,i]=k(0),l=`${q(t)} ${H()}`;K(()=>{let d=new AbortController,{signal:c}=d;return(async()=>{let p=D(),m=ht(t,p,H());m.has("to")||m.set("to",new Date(p).toISOString());let g=[];for(let h="";h!==null&&g.length<Ta;){h!==""&&m.set("before",h);let v=await T(B(e,"request_counts",m),{signal:c});if(c.aborted)return;g.push(v),{next:h}=v,o({pages:[...g],isComplete:h===null,error:void 0})}})().catch(p=>c.aborted||o({pages:void 0,isComplete:!1,error:p})),()=>d.abort()},[e.hasAdmin,l,r]);let u=()=>i(d=>d+1);return Se(u,Oa,s),Qt(n.error,u),{...n,recount:u}}async function oo(e,t){let s=ht(t,D(),H());s.set("format","csv"),s.set("limit",String(to));let n=[],o;do{o&&s.set("before",o);let r=await Rs(B(e,"requests",s));n.push(await r.text()),o=r.headers.get("x-sluice-next")}while(o!==null&&n.length<eo);return{text:vn(n),hasMore:o!==null}}function ro({route:e}){let t=X(),s=Xs(e.query),n=e.path[0],o=e.query.get("time"),{isOpen:r}=zt(s,D(),H()),i=s.range==="custom",[l,u]=k(!1),d=r&&s.sort==="",c=l&&d,f=so(t,s,c),p=no(t,s,c),m=h=>location.hash=q(h,n,o),g=()=>{f.reload(),p.recount()};return a`
    <div class="view wide-view" data-view="requests">
      <${ne}
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
          onClick=${()=>u(!c)}
        ><span class="dot" aria-hidden="true"></span>Live</button>
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${g}
          disabled=${f.isLoading}>Refresh</button>
        <${Na} session=${t} filters=${s} counts=${p} />
      <//>
      <${xn}
        filters=${s}
        rows=${f.rows}
        session=${t}
        opened=${n}
        time=${o}
      />
      ${p.pages&&a`
        <${zn}
          intervals=${Gn(p.pages)}
          isComplete=${p.isComplete}
          isCustom=${i}
          onZoom=${(h,v)=>m(mt(s,h,v))}
        />
      `}
      <div class=${`list-and-details ${n?"has-details":""}`}>
        <div class="list stack">
          <${C} error=${f.error} title="The requests cannot be listed" />
          <${Aa}
            list=${f}
            filters=${s}
            opened=${n}
            session=${t}
            onSort=${h=>m({...s,...h})}
          />
        </div>
        ${n&&a`
          <${Kn}
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
  `}function Aa({list:e,filters:t,opened:s,session:n,onSort:o}){let{rows:r,error:i,moreError:l,isLoading:u,isLoadingMore:d,isSorting:c,next:f,loadMore:p}=e;return r===void 0?i?null:a`<${A} text="Loading the requests" />`:r.length===0&&f===null&&!c&&!u?a`<${Ea} filters=${t} />`:a`
    <div class=${`stack ${u?"stale":""}`}>
      <${Dn} rows=${r} filters=${t} opened=${s} onSort=${o}
        showsKey=${n.hasAdmin} note=${u?"":Ra(t,e)} />
    </div>
    <${C} error=${l} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${r.length} shown${d?", searching older requests":""}</span>
      ${f!==null&&a`
        <button type="button" class="no-print" aria-keyshortcuts="Alt+Shift+M" onClick=${p}
          disabled=${d}>
          ${d?"Loading":Ve(t)?"Search older requests":"Load more"}
        </button>
      `}
    </div>
  `}function Ra({sort:e},{rows:t,isSorting:s}){if(e==="")return"";if(s)return"Sorting: older requests are still being read.";let n=["cost_usd","first_token_ms","path","model","provider"].includes(e)?" Requests without this value are left out.":"";return t.length<tt?`All requests in this period that match these filters.${n}`:`The first ${tt} in this order, of all requests in this period that match these filters.${n}`}function Ea({filters:e}){let t={...e,range:"90d",from:"",to:""};return a`
    <div class="card empty stack">
      <p>
        ${Ve(e)?"No request matches these filters in this period.":"No requests in this period. They appear here as soon as they end."}
      </p>
      ${e.range!=="90d"&&a`
        <p><a class="button" href=${q(t)}>Show the last 90 days</a></p>
      `}
    </div>
  `}function La(e){let t=H(),{from:s,to:n}=zt(e,D(),t);return`requests_${Q(s,t)}_${Q(n-1,t)}.csv`}function Na({session:e,filters:t,counts:{isComplete:s,pages:n=[]}}){let[o,r]=k({}),i=async()=>{r({isLoading:!0});try{let{text:c,hasMore:f}=await oo(e,t);wt(La(t),c);let p=f&&new Error("The file contains only the newest requests: choose a shorter period");r({error:p})}catch(c){r({error:c})}},l=n.flatMap(({data:c})=>c).reduce((c,{requests:f})=>c+f,0),u=l>Tt,d=u?`newest ${$(Tt)} rows`:`${$(l)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${i}
      disabled=${o.isLoading}
      title=${`Download CSV: at most the newest ${$(Tt)} requests`}
    >${s||u?`CSV, ${d}`:"CSV"}</button>
    <${C} error=${o.error} title="Download" />
  `}var bo={};xe(bo,{default:()=>ho});async function Pe(e){let t=[],s=null;do{let n={limit:String(5e3),...s!==null&&{after:s}},o=await e(n);t.push(o.part),s=o.next??null}while(s!==null&&t.length<20);return{parts:t,hasMore:s!==null}}function ao(e){let t=null;return e.toReversed().map((s,n)=>{let o=t!==null&&s.provider!==null&&s.provider!==t;return s.provider!==null&&({provider:t}=s),{...s,number:n+1,hasMoved:o}})}function lo(e){let t=l=>e.reduce((u,d)=>u+(d[l]??0),0),s=e.filter(({hasMoved:l})=>l).length,n=e.at(-1),o=Date.parse(n.time)-Date.parse(e[0].time)+e[0].ms,r=s===0?"never moved":s===1?"moved once":`moved ${s} times`,i=t("input_tokens");return{title:`${P(e.length,"request")} in ${Us(o)}; ${r}, ${Ia(e)}`,text:i===0?"No input tokens are known.":`${M(t("cached_input_tokens"),i)} of ${$(i)} input tokens came from the prompt cache.`}}function Ia(e){let t=e.filter(o=>o.cost_usd!=null);if(t.length===0)return"cost unknown";let s=t.reduce((o,r)=>o+r.cost_usd,0);return`${e.some(o=>o.cost_usd==null&&o.usage_source!=="none")?"\u2265 ":""}${w(s)}`}var nt=["key","team","owner","model","provider"],Ct=new Map([["cost","cost_usd"],["moves","affinity_moves"],["requests","requests"],["failed","errors"]]),Mt=["id",...nt,...Ct.keys()],uo=["cost>1","moves>0","failed>0"];function co(e){return{...Object.fromEntries(Mt.map(t=>[t,e.get(t)??""])),...qe(e)}}function ue(e,t){let s=new URLSearchParams;for(let o of[...Mt,...Hs]){let r=o==="range"&&e.range==="custom";e[o]&&!r&&s.set(o,e[o])}return`${t===void 0?"#/sessions":`#/sessions/${encodeURIComponent(t)}`}?${s}`}function fo(e){return{...e,...Object.fromEntries(Mt.map(t=>[t,""]))}}function qt(e){return Mt.filter(t=>e[t]!=="").map(t=>({filter:t,name:t,value:e[t],sign:Ct.has(t)?">":":"}))}function po(e,t){let s={...t};for(let n of os(e)){let[,o="",r="",i=""]=/^([a-z]+)([:>])(.*)$/i.exec(n)??[];if(r===">"&&Ct.has(o)){if(!/^\d{1,9}(\.\d{1,9})?$/.test(i))return{fault:`'${o}>' needs a number`};s[o]=i}else if(r===":"&&nt.includes(o)){if(i==="")return{fault:`'${o}:' needs a value`};s[o]=i}else s.id=r===":"&&o==="id"?i:n}return{filters:s}}function $o(e){return Object.fromEntries(nt.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function mo(e,t){let s=new Map;for(let r of e){if(r.session===null)continue;let i=s.get(r.session)??{session:r.session,last:""};for(let[l,u]of Object.entries(r))typeof u=="number"&&(i[l]=(i[l]??0)+u);r.hour>i.last&&(i.last=r.hour),s.set(r.session,i)}let n=t.id.toLowerCase(),o=[...Ct].filter(([r])=>t[r]!=="");return[...s.values()].filter(r=>r.session.toLowerCase().includes(n)&&o.every(([i,l])=>(r[l]??0)>Number(t[i])))}var Pa=200,Da=5;function ho({route:e}){let t=X(),s=e.path[0],n=H(),o=co(e.query),r=$o(o),i=[t.hasAdmin,o.range,o.from,o.to,n],l=G(()=>Fa(o,n),i),{data:u,error:d,isLoading:c}=L(f=>Ua(t,{...l,...r},f),[...i,JSON.stringify(r)]);return a`
    <div class="view" data-view="sessions">
      <${ne}
        title="Sessions"
        note="Requests that clients grouped by a session ID, such as those of one agent."
      />
      <${Ba} filters=${o} session=${t} opened=${s} />
      <${C} error=${d} title="The sessions cannot be listed" />
      ${u===void 0&&!d&&a`<${A} text="Loading the sessions" />`}
      <div class=${`list-and-details ${s===void 0?"":"has-details"}`}>
        ${u!==void 0&&a`
          <div class=${`list stack ${c?"stale":""}`}>
            <${Ga} data=${u} filters=${o} opened=${s} />
          </div>
        `}
        ${s!==void 0&&a`
          <${Ja} key=${s} id=${s} session=${t} times=${l}
            filters=${o} />
        `}
      </div>
    </div>
  `}function Fa(e,t){let{from:s,isOpen:n,to:o}=_e(e,D(),t),r=i=>new Date(i).toISOString();return{from:r(s),...!n&&{to:r(o)}}}async function Ua(e,t,s){let{parts:n,hasMore:o}=await Pe(async r=>{let i=B(e,"usage",{...t,group_by:"session,hour",...r}),{data:l,next:u}=await T(i,{signal:s});return{part:l,next:u}});return{entries:n.flat(),hasMore:o}}function Ba({filters:e,session:t,opened:s}){let n=o=>location.hash=ue(o,s);return a`
    <${xt}
      label="Filter the sessions"
      words=${qt(e)}
      current=${ue(e,s)}
      placeholder="Add a filter: key:, model:, provider:, cost>1, moves>0, a part of an ID"
      session=${t}
      completed=${nt.filter(o=>t.hasAdmin||!ja.includes(o))}
      offered=${uo}
      onAdd=${o=>{let r=po(o,e);return r.fault===void 0&&n(r.filters),r.fault}}
      onRemove=${o=>n({...e,[o]:""})}
      clear=${qt(e).length>0?ue(fo(e),s):void 0}
    />
  `}var ja=["key","team","owner"];function ce(e,t,s,n,o={}){return{id:e,title:t,of:s,text:n,isNumber:!0,...o}}var Ha=[{id:"session",title:"Session",of:e=>e.session,isRisingFirst:!0},ce("requests","Requests",({requests:e})=>e,$,{card:"c",mark:"requests"}),{id:"last",title:"Last",of:({last:e})=>e,text:Ka,panel:"low",hint:"The hour of the last request"},ce("errors","Failed",({errors:e})=>e>0?e:void 0,$),ce("input","Input",e=>e.input_tokens,E,{hint:"Input tokens",panel:"hide"}),ce("cached","Cached",Wa,e=>M(e,1),{hint:"The share of the input that came from prompt caches",card:"d",mark:"cached"}),ce("moves","Moves",e=>e.affinity_moves>0?e.affinity_moves:void 0,$,{hint:"How often it moved to another target"}),ce("saved","Saved",e=>e.saved_usd>0?e.saved_usd:void 0,w,{hint:"What caches saved",panel:"hide"}),ce("cost","Cost",e=>e.cost_usd,(e,t)=>a`<span title=${`$${e}`}>${t.unpriced_requests>0?"\u2265 ":""}${w(e)}</span>`,{card:"b"})];function Ka(e){let t=Date.parse(e);return a`<span title=${J(t)}>${oe(t).replace(/:00$/,"")}</span>`}function Wa(e){return e.input_tokens>0?e.cached_input_tokens/e.input_tokens:void 0}function Ga({data:e,filters:t,opened:s}){let n=G(()=>mo(e.entries,t),[e,ue(t)]);return n.length===0?a`
      <p class="card empty">
        ${qt(t).length>0?"No session matches these filters in this period.":a`No session in this time. A client names one by the header
              <code>x-sluice-session</code>.`}
      </p>
    `:a`
    <${j}
      label="Sessions"
      columns=${Ha}
      rows=${n}
      idOf=${o=>o.session}
      hrefOf=${o=>ue(t,o.session)}
      actionsOf=${o=>[{text:"Open",href:ue(t,o.session)},{text:"Its requests",href:q({...le,session:o.session})},{text:"Copy the ID",copy:o.session}]}
      order=${{id:"cost",isRising:!1}}
      current=${s}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>go(t)}
    />
    <p class="faint small" role="status">
      ${n.length===1?"1 session":`${$(n.length)} ${e.hasMore?"or more ":""}sessions`}
    </p>
  `}function go(e){location.hash=ue(e)}async function Xa(e,t,s,n){let o=[],r;for(let i=0;i<Da&&r!==null;i++){let l={...s,session:t,limit:String(Pa),...r&&{before:r}},{data:u,next:d}=await T(B(e,"requests",l),{signal:n});o.push(...u),r=d}return{turns:ao(o),hasMore:r!==null}}function Ja({id:e,session:t,times:s,filters:n}){let{data:o,error:r}=L(i=>Xa(t,e,s,i),[e,s]);return a`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${ae} text=${e} />
        </h2>
        <${Ls} icon="close" label="Close the session"
          onClick=${()=>go(n)} />
      </header>
      <div class="stack padded">
        <${C} error=${r} title="The session cannot be shown" />
        ${!o&&!r&&a`<${A} />`}
        ${o?.turns.length===0&&a`
          <p>This session has no request in this time.</p>
          <p><a class="button" href=${ue({...n,range:"90d",from:"",to:""},e)}>Show the last 90 days</a></p>
        `}
        ${o?.turns.length>0&&a`<${Va} ...${o} />`}
      </div>
    </section>
  `}function Va({turns:e,hasMore:t}){let{text:s,title:n}=lo(e),o=G(()=>Za(e),[e]),r=e.findLast(i=>i.agent)?.agent;return a`
    <p class="said">${n}</p>
    <p class="soft small">${s}${r&&` Agent: ${r}.`}</p>
    ${t&&a`<p class="hint">The newest ${$(e.length)} requests.</p>`}
    <${j} label="Requests of the session" columns=${o} rows=${e}
      idOf=${i=>`${i.time} ${i.id}`}
      hrefOf=${i=>q(le,i.id,i.time)}
      order=${{id:"number",isRising:!0}} />
  `}function Za(e){let t=Math.max(1,...e.map(s=>s.input_tokens));return[{id:"number",title:"No.",of:({number:s})=>s,isRisingFirst:!0,cell:({number:s,time:n})=>a`<span title=${J(n)}>${s}</span>`},{id:"provider",title:"Provider",card:"b",of:({provider:s})=>s,cell:s=>a`
          ${s.hasMoved&&a`
            <span class="badge">Moved</span>
          `}
          ${s.provider===null?"\u2013":a`<${ae} text=${s.provider} />`}
          ${s.status>=400&&a`
            <${ze} row=${s} />
          `}
        `},{id:"input",title:"Input",hint:"Input tokens; the dark part was cached",card:"c",of:s=>s.input_tokens,cell:s=>a`<${Ya} turn=${s} most=${t} />`},ce("first","First",s=>s.first_token_ms,x,{hint:"Time to first content"}),ce("cost","Cost",s=>s.cost_usd,w,{card:"d"})]}function Ya({turn:{cached_input_tokens:e,input_tokens:t},most:s}){let n=`${$(e)} of ${$(t)} from the cache`;return a`
    <span class="input-bar" title=${n}>
      <span class="input-track" style=${{width:`${48*t/s}px`}}>
        <span style=${{width:`${t===0?0:100*e/t}%`}}></span>
      </span>
      ${E(t)}
    </span>
  `}var Ro={};xe(Ro,{default:()=>Ao});var Qa=3e3;function vo({id:e,hasAdmin:t,onClose:s}){let n=t?"/v1/admin/providers":"/v1/providers",{data:o,error:r,reload:i}=L(u=>T(n,{signal:u}),[n]);Se(i,Qa);let l=o?.data.find(u=>u.id===e);return a`
    <${W} title=${`Provider ${e}`} onClose=${s}>
      <div class="stack">
        <${C} error=${r} />
        ${!o&&!r&&a`<${A} />`}
        ${o&&!l&&a`<p>This provider is no longer configured.</p>`}
        ${l&&a`<${za} provider=${l} />`}
      </div>
      <//>
  `}function za({provider:e}){let t=fs(e,"breakers"),s=fs(e,"learned_rejections");return a`
    <p class="row soft">
      <span>Kind <code>${e.kind}</code></span>
      <span>${sl(e)}</span>
      ${e.workers?.length>1&&a`<span>${e.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${ds}
      label="Circuit breakers"
      columns=${["Model","State","Recent failures","Tries again"]}
      rows=${t.map(({worker:n,model:o,state:r,failures:i,tries_again_in_ms:l})=>[ps(o,n),a`<${bt} state=${r} />`,i,l===void 0?"\u2013":`in ${x(l)}`])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${el} provider=${e} />
    <h3>Learned rejections</h3>
    <${ds}
      label="Learned rejections"
      columns=${["Model","What the vendor rejects"]}
      rows=${s.map(({worker:n,model:o,...r})=>[ps(o,n),a`<span class="mono wrap-anywhere">${yo(r)}</span>`])}
      empty="None."
    />
  `}function el({provider:e}){let t=fs(e,"suspended_keys");return e.workers===void 0&&e.keys?.suspended>0?a`<p>${e.keys.suspended} of ${e.keys.configured} keys are suspended.</p>`:a`
    <${ds}
      label="Suspended keys"
      columns=${["Key","Model","Reason","Ends"]}
      rows=${t.map(({worker:s,key:n,model:o,reason:r,ends_in_ms:i})=>[ps(tl(e,n),s),o??"all",r,`in ${x(i)}`])}
      empty="None."
    />
  `}function ds({label:e,columns:t,rows:s,empty:n}){return s.length===0?a`<p class="soft">${n}</p>`:a`
    <${Re} label=${e}>
      <thead>
        <tr>${t.map(o=>a`<th key=${o} scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${s.map((o,r)=>a`
            <tr key=${r}>${o.map((i,l)=>a`<td key=${l}>${i}</td>`)}</tr>
          `)}
      </tbody>
      <//>
  `}function fs({workers:e,...t},s){if(e===void 0)return Array.isArray(t[s])?t[s]:[];let n=e.length===1;return e.flatMap(o=>(o[s]??[]).map(r=>({...r,worker:n?void 0:o.worker})))}function ps(e,t){return a`
    <span class="mono wrap-anywhere">${e}</span>
    ${t!==void 0&&a`<span class="faint small"> worker ${t}</span>`}
  `}function tl({keys:e},t){return(Array.isArray(e)?e.find(n=>n.index===t):void 0)?.fingerprint??`key ${t}`}function sl({keys:e}){return P(Array.isArray(e)?e.length:e?.configured??0,"key")}function yo(e){return Object.entries(e).map(([t,s])=>`${t}: ${typeof s=="object"&&s!==null?yo(s):s}`).join(", ")}var nl=[...es.keys()],ko={id:"state",isRising:!0};function xo({providers:e,since:t,now:s,hasAdmin:n,opened:o}){let[r,i]=k(null),l=G(()=>il(s),[s]);if(e.length===0)return a`<p class="card empty">No provider is enabled.</p>`;let u=({id:c})=>[{text:"Breakers and keys",href:wo(c)},{text:"Its requests",href:q({...le,provider:c})},{text:"Its failures",href:q({...le,provider:c,status:"error"})},...n?[{text:"Reset\u2026",run:()=>i(c)}]:[],{text:"Copy the name",copy:c}],d=()=>location.hash="#/status";return a`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">All providers</h2>
        ${t&&a`
          <span class="faint small">Attempts and durations since ${oe(t)}</span>
        `}
      </div>
      <${j} label="Providers" columns=${l} rows=${ts(e)}
        idOf=${({id:c})=>c} hrefOf=${({id:c})=>wo(c)} actionsOf=${u}
        order=${ko} current=${o} />
    </section>
    ${o!==void 0&&a`
      <${vo} id=${o} hasAdmin=${n} onClose=${d} />
    `}
    ${r!==null&&a`<${ll} id=${r} onClose=${()=>i(null)} />`}
  `}function wo(e){return`#/status/${encodeURIComponent(e)}`}function _o(e){return[{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({state:t})=>nl.indexOf(t),cell:({state:t})=>a`<${ol} state=${t} />`},{id:"since",title:"Since",of:({health:t,state:s})=>Ds(s)||s==="ok"?t?.since:void 0,text:t=>a`<span title=${J(t)}>${ge(t,e)}</span>`},{id:"evidence",title:"Evidence",isProse:!0,card:"c",of:t=>So(t,e),cell:t=>a`<${rl} entry=${t} now=${e} />`}]}function ol({state:e}){return e==="limited"?a`<span class="st slow">${es.get(e).text}</span>`:a`<${Ae} state=${e} />`}function So({health:e,last_failure:t},s){let n=e==null?"":We(e,s);if(!t)return n;let o=n.replace(/; \d+$/,""),r=`${Qs(t)}, ${Fs(t.time,s)}`;return o===""?r:`${o}; ${r}`}function rl({entry:e,now:t}){let{last_failure:s}=e,n=So(e,t);if(!s)return a`<span title=${n}>${n||"\u2013"}</span>`;let{request:o,time:r}=s;return a`<a class="failure" href=${q(le,o,r)} title=${n}>${n}</a>`}function il(e){return[{id:"provider",title:"Provider",of:({id:t})=>t,isRisingFirst:!0},..._o(e),{id:"history",title:"24 h, failed",hint:"A bar for each hour",cell:({history:t})=>a`<${al} history=${t} />`},{id:"in_flight",title:"In flight",isNumber:!0,text:$,of:t=>t.in_flight||void 0},...Oo(),{id:"rescued",title:"Rescued",isNumber:!0,of:({rescued:t})=>t,text:$,hint:"Failed attempts of requests that eventually succeeded"},{id:"p50",title:"p50",isNumber:!0,of:t=>t.p50_ms,text:x},{id:"p95",title:"p95",isNumber:!0,of:t=>t.p95_ms,text:x},To(),{id:"keys",title:"Suspended",hint:"Suspended keys",isNumber:!0,of:t=>t.resting_keys>0?t.resting_keys:void 0,text:(t,{keys:s})=>`${t} of ${s} keys`}]}function Oo(){return[{id:"attempts",title:"Attempts",isNumber:!0,card:"d",mark:"attempts",of:({attempts:e})=>e,text:$},{id:"failed",title:"Failed",isNumber:!0,of:e=>e.failed_attempts,text:(e,{attempts:t})=>`${$(e)}${e>0?`, ${M(e,t)}`:""}`}]}function To(){return{id:"breaker",title:"Breaker",of:({breaker:e})=>e==="closed"?void 0:e,cell:({breaker:e,tries_again_in_ms:t})=>a`
        ${e==="closed"?a`<span class="faint">Closed</span>`:a`<${bt} state=${e} />`}
          ${t>0&&a`<span class="faint small"> tries again in ${x(t)}</span>`}
      `}}function al({history:e}){let t=zs(e);return a`
    <span class="history" role="img" aria-label=${t} title=${t}>
      ${e.map((s,n)=>a`<span key=${n} class=${en(s)??"none"}></span>`)}
    </span>
  `}function ll({id:e,onClose:t}){let[s,n]=k({}),o=async()=>{n({isBusy:!0});let u=`/v1/admin/providers/${encodeURIComponent(e)}/reset`;try{n({cleared:(await T(u,{method:"POST"})).cleared})}catch(d){n({error:d})}},{cleared:r,error:i,isBusy:l}=s;return a`
    <${W} title=${`Reset ${e}`} onClose=${t} class="narrow">
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
            <button type="button" class="primary" onClick=${o} disabled=${l}>Reset</button>
          `}
        </div>
      </div>
      <//>
  `}function Co({models:e,now:t}){let s=G(()=>[{id:"model",title:"Model",of:({id:n})=>n,isRisingFirst:!0},{id:"provider",title:"Provider",of:({provider:n})=>n,text:n=>a`<${ae} text=${n} />`},..._o(t),...Oo(),To()],[t]);return e.length===0?null:a`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${j} label="Targets" columns=${s} rows=${ts(e)}
        idOf=${({id:n,provider:o})=>JSON.stringify([n,o])} order=${ko} />
    </section>
  `}var ul=[{id:"provider",title:"Provider",of:({id:e})=>e,isRisingFirst:!0},{id:"kind",title:"Kind",of:({kind:e})=>e,card:"b"},{id:"reason",title:"Reason",isProse:!0,card:"c2",of:({reason:e})=>e??"unknown",text:e=>a`<span title=${e}>${e}</span>`}];function Mo({providers:e}){return e.length===0?null:a`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${j} label="Disabled providers" columns=${ul} rows=${e}
        idOf=${({id:t})=>t} order=${{id:"provider",isRising:!0}} />
    </section>
  `}var $s=120,De=26,qo=60;function At({values:e,tone:t=""}){let s=Math.max(1,...e),n=qo-e.length,o=i=>((n+i)/(qo-1)*$s).toFixed(1),r=e.map((i,l)=>{let u=De-1-i/s*(De-3);return`${o(l)},${u.toFixed(1)}`}).join(" ");return a`
    <svg
      class=${`sparkline ${t}`}
      height=${De}
      viewBox=${`0 0 ${$s} ${De}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon
        points=${`${o(0)},${De} ${r} ${$s},${De}`}
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
  `}var cl=.05;function Ao({route:e}){let t=X(),{state:s,history:n,isLive:o,error:r}=tn(B(t,"live")),l=`${t.hasAdmin?"All providers of this gateway":"The providers of the models that your key may use"}. States are those of the last 10 minutes.`;return a`
    <div class="view" data-view="status">
      <${ne} title=${s===void 0?"Providers":Zs(s)} note=${l}>
        <${pl} isLive=${o} state=${s} error=${r} />
      <//>
      <${C} error=${r} title="No live state" />
      ${s===void 0?!r&&a`<${A} text="Connecting" />`:a`
        <${dl} state=${s} history=${n} opened=${e.path[0]}
          hasAdmin=${t.hasAdmin} />
      `}
    </div>
  `}function dl({state:e,history:t,hasAdmin:s,opened:n}){let o=e.providers.filter(l=>l.enabled),r=e.providers.filter(l=>!l.enabled),i=Date.parse(e.at);return a`
    <${fl} state=${e} now=${i} />
    <${ml} config=${e.config} />
    <${$l} state=${e} history=${t} enabled=${o.length} />
    <${xo} providers=${o} since=${e.since} now=${i} hasAdmin=${s}
      opened=${n} />
    <${Co} models=${e.models??[]} now=${i} />
    <${Mo} providers=${r} />
  `}function fl({state:e,now:t}){let s=Ys(e,t);return s.length===0?null:a`
    <ul class="problems" aria-label="Problems now">
      ${s.map(({id:n,text:o})=>a`
          <li key=${n}><a href=${`#/status/${encodeURIComponent(n)}`}>${n}</a> ${o}</li>
        `)}
    </ul>
  `}function pl({isLive:e,state:t,error:s}){return e?a`
      <span class="live-mark good">
        <span class="dot" aria-hidden="true"></span>
        <span role="status">Live</span>
        <time class="faint mono">${oe(t.at)}</time>
      </span>
    `:a`
    <span class="live-mark">
      <span class="dot" aria-hidden="true"></span>
      <span role="status">${t===void 0&&!s?"Connecting":"Not live"}</span>
      ${t&&a`<time class="faint mono">last at ${oe(t.at)}</time>`}
    </span>
  `}function $l({state:e,history:t,enabled:s}){let{in_flight:n,requests_per_second:o,errors_per_second:r,providers:i,config:l}=e,u=o>0?r/o:0;return a`
    <dl class="figure-grid card live">
      <${F} label="In flight" value=${$(n)}>
        <${At} values=${t.map(d=>d.in_flight)} />
        <//>
        <${F} label="Requests per second" value=${Ke(o)}>
          <${At} values=${t.map(d=>d.requests_per_second??0)} />
          <//>
          <${F}
            label="Errors per second"
            value=${Ke(r)}
            note=${u>0?`${M(u,1)} of requests`:""}
            tone=${u>=cl?"bad":""}
          >
        <${At} values=${t.map(d=>d.errors_per_second??0)} tone="bad" />
      <//>
      <${F}
        label="Providers enabled"
        value=${`${s} of ${i.length}`}
      />
      ${l&&a`
        <${F}
          label="Configuration"
          value=${l.valid?"Valid":"Stale"}
          tone=${l.valid?"":"warn"}
          note=${l.loaded_at&&`loaded ${oe(l.loaded_at)}`}
        />
      `}
    </dl>
  `}function ml({config:e}){if(e===void 0||e.valid)return null;let{faults:t=[],loaded_at:s,reason:n}=e;return a`
    <section class="banner warn" role="alert" aria-labelledby="config-faults">
      <h2 id="config-faults">The changed configuration is not valid</h2>
      <p>
        The gateway still uses the configuration
        ${s?` that it loaded on ${J(s)}.`:" that it loaded before."}
      </p>
      ${t.length===0&&n&&a`<p>${n}</p>`}
      ${t.length>0&&a`
        <ul class="faults mono">
          ${t.map((o,r)=>a`<li key=${r}>${o}</li>`)}
        </ul>
      `}
    </section>
  `}var Tr={};xe(Tr,{default:()=>Or});var Rt=36e5,hl=48*Rt,gl="month",de=["key","team","owner","model","provider","tag","end_user"],bl=["requests","errors","tokens","cost","latency"],ot={by:"model",then:"",prefix:"",show:"cost",tab:"use",...Object.fromEntries(de.map(e=>[e,""]))};function Et(e){let{by:t,show:s,then:n}=Object.fromEntries(e),o=de.includes(t)?t:ot.by;return{...qe(e,gl),by:o,then:de.includes(n)&&n!==o?n:"",prefix:e.get("prefix")??"",show:bl.includes(s)?s:ot.show,tab:e.get("tab")==="bill"?"bill":ot.tab,...Object.fromEntries(de.map(r=>[r,e.get(r)??""]))}}function Fe(e){return Object.fromEntries(de.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function Ue(e,t="usage"){let s=new URLSearchParams;Ge(s,e);for(let n of Object.keys(ot))e[n]!==ot[n]&&s.set(n,e[n]);return`#/${t}?${s}`}function rt(e,t,s){let{from:n,isOpen:o,to:r}=_e(e,t,s),i=r-n<=hl?"hour":"day",l=[],u=i==="hour"?n-n%Rt:Y(n,s);for(;u<r;)l.push(u),u=i==="hour"?u+Rt:Y(u,s,1);return{from:Math.min(n,l[0]??n),to:r,end:u,isOpen:o,unit:i,zone:s,starts:l}}function Eo(e,{unit:t,zone:s}){return t==="hour"?`${new Date(e).toISOString().slice(0,16)}Z`:Q(e,s)}function Lo(e,{from:t,to:s,zone:n,isOpen:o}){let r=o?Y(s-1,n):s;if(r<=t)return;let i=Math.round((r-t)/(24*Rt)),u=e.range==="month"||e.range==="last-month"?he(t,n,-1):Y(t,n,-i),d=Y(u,n,i);return{now:{from:t,to:r},before:{from:u,to:Math.min(d,t)}}}function Lt({from:e,to:t},s){return{from:new Date(e).toISOString(),to:new Date(t).toISOString(),...s!=="UTC"&&{time_zone:s}}}var No=5,ms=[{id:"requests",name:"Requests",of:e=>e.requests,format:$,isWhole:!0},{id:"errors",name:"Errors",of:e=>e.errors,format:$,isWhole:!0},{id:"tokens",name:"Tokens",of:e=>e.input_tokens+e.output_tokens,format:E,isWhole:!0},{id:"cost",name:"Cost",of:N,format:w,isWhole:!1},{id:"latency",name:"Duration",format:vl,isWhole:!1,isLines:!0}];function vl(e){return e===0?"0":x(e)}function Do(e){return ms.find(t=>t.id===e)}function N({cost_usd:e,unpriced_requests:t}){return t>0&&e===0?null:e}function V(e){if(e===void 0)return w(0);let t=N(e);return t===null?"unknown":e.unpriced_requests>0?`\u2265 ${w(t)}`:w(t)}function Fo(e){let t=new Map;for(let{requests:s,tag:n}of e){let[,o]=/^([^:]+):./.exec(n??"")??[];o!==void 0&&t.set(o,(t.get(o)??0)+s)}return[...t].sort(([,s],[,n])=>n-s).map(([s])=>s)}function Uo(e,t){let s=`${t}:`;return e.flatMap(n=>n.tag?.startsWith(s)?[{...n,tag:n.tag.slice(s.length)}]:[])}function Bo(e,t,s){let n="A request with several tags counts for each of them",o=t.reduce((i,l)=>i+l.requests,0);if(s||e===void 0||o<=e.requests)return`${n}, so the rows may add up to more than the total.`;let r=it(...t);return`${n}: the rows add up to ${$(r.requests)} requests and ${V(r)}, all requests are ${$(e.requests)} and ${V(e)}.`}function fe(e,t){return e??(t===null?"all":t==="tag"?"untagged":`no ${t.replace("_"," ")}`)}function jo(e,t,{by:s,show:n}){let{unit:o}=t,r=Do(n),{times:i,positions:l}=Ko(t),u=new Map;for(let g of e){let h=l.get(g[o]);if(h===void 0)continue;let v=g[s]??null,b=u.get(v);b===void 0&&(b={name:fe(v,s),values:i.map(()=>0),sums:it()},u.set(v,b)),b.values[h]=r.of(g),b.sums=it(b.sums,g)}let d=({sums:g})=>r.of(g)??-1,c=[...u.values()].sort((g,h)=>d(h)-d(g)),f=c.slice(0,No).map(g=>Po(g,r)),p=c.slice(No),m=it(...c.map(({sums:g})=>g));return{metric:r,unit:o,zone:t.zone,isOpen:t.isOpen,times:Wo(i,t),unpriced:n==="cost"?m.unpriced_requests:0,series:p.length===0?f:[...f,Po(yl(p),r,!0)]}}function Ho(e,t,s){let{times:n,positions:o}=Ko(t),r=Io.map(({name:i,member:l})=>({name:i,isOther:!1,isPartial:!1,total:s?.[l]??null,values:n.map(()=>null)}));for(let i of e){let l=o.get(i[t.unit]);l!==void 0&&Io.forEach(({member:u},d)=>r[d].values[l]=i[u]??null)}return{metric:Do("latency"),unit:t.unit,zone:t.zone,isOpen:!1,times:Wo(n,t),unpriced:0,series:r}}var Io=[{name:"p95",member:"p95_ms"},{name:"p50",member:"p50_ms"},{name:"First token, p50",member:"first_token_p50_ms"}];function Ko(e){let{starts:t}=e,s=new Map(t.map((n,o)=>[Eo(n,e),o]));return{times:t,positions:s}}function Wo(e,{zone:t}){return e.map(s=>(s+js(s,t))/1e3)}function hs(e,t){if(!t||e===null||e===void 0)return"";let s=Math.round(100*(e-t)/t);return`${s>0?"+":s<0?"\u2212":"\xB1"}${$(Math.abs(s))} %`}function Po({name:e,values:t,sums:s},n,o=!1){let r=n.id==="cost"&&s.unpriced_requests>0;return{name:e,isOther:o,values:t,total:n.of(s),isPartial:r}}function yl(e){return{name:P(e.length,"other"),values:e[0].values.map((t,s)=>kl(e.map(n=>n.values[s]))),sums:it(...e.map(({sums:t})=>t))}}var wl=["requests","errors","input_tokens","output_tokens","cost_usd","unpriced_requests","unused_cost_usd","cached_input_tokens"];function it(...e){return Object.fromEntries(wl.map(t=>[t,e.reduce((s,n)=>s+(n[t]??0),0)]))}function kl(e){let t=e.filter(s=>s!==null);return t.length===0?null:t.reduce((s,n)=>s+n,0)}var xl=[{id:"name",title:"Billed by",isRisingFirst:!0,card:"a",of:e=>fe(e.provider,"provider")},{id:"cost",title:"Cost",of:N,cell:V,isNumber:!0,card:"b"},{id:"unused",title:"Paid but not used",isNumber:!0,card:"d",hint:"Failed attempts that were billed, and hedges that lost",of:e=>e.unused_cost_usd,text:w},{id:"share",title:"Of its cost",isNumber:!0,of:e=>N(e)?e.unused_cost_usd/N(e):void 0,text:e=>M(e,1)},{id:"requests",title:"Answered",isNumber:!0,card:"c",mark:"Answered",hint:"Requests that the provider answered: attempts that it bills may be more",of:e=>e.requests,text:$},{id:"input",title:"Input",of:e=>e.input_tokens,text:E,isNumber:!0},{id:"cached",title:"Cached",of:({cached_input_tokens:e})=>e,text:E,isNumber:!0},{id:"output",title:"Output",of:e=>e.output_tokens,text:E,isNumber:!0}];function Go({entries:e,total:t}){let s=t?.unused_cost_usd??0;return a`
    <p>
      ${s>0?a`<strong>${w(s)}</strong> was paid for answers that were not used, ${M(s,N(t)??0)} of the cost.`:"Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${j} label="Cost by provider" columns=${xl} rows=${e}
      idOf=${n=>String(n.provider)} order=${{id:"cost",isRising:!1}} />
  `}var _l="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),Xo={hour:[1,2,3,6,12,24],day:[1,2,7,14,28,56,112,364]};function Jo(e,t,s){let n=e[0]?.values.length??0,o=s.width/n,r=Math.min(72,Math.max(1,o*.75)),i=Array(n).fill(0),l=u=>s.top+s.height*(1-u/t);return e.map(({values:u})=>u.map((c,f)=>{if(!c)return"";let p=i[f];i[f]+=c;let m=s.left+o*(f+.5)-r/2,g=l(i[f]);return`M${pe(m)} ${pe(g)}h${pe(r)}V${pe(l(p))}h${pe(-r)}z`}).join(""))}function Vo(e,t,s){let n=s.width/(e[0]?.values.length??1);return e.map(({values:o})=>o.map((r,i)=>{if(r===null)return"";let l=pe(s.left+n*(i+.5)),u=pe(s.top+s.height*(1-r/t));return(o[i-1]??null)===null?`M${l} ${u}h0`:`L${l} ${u}`}).join(""))}var Nt={height:240,left:64,right:8,top:14,bottom:26};function Zo({course:{start:e,end:t,points:s},forecast:n,budget:o,width:r}){let{bottom:i,height:l,left:u,top:d}=Nt,c=s.at(-1),f=gs([{values:[c.usd,o??0,n?.high??0]}],{isLines:!0}),p=f.at(-1),m=r-Nt.right,g=b=>pe(u+(m-u)*(b-e)/(t-e)),h=b=>pe(d+(l-d-i)*(1-b/p)),v=`M${g(c.time)} ${h(c.usd)}`;return{ticks:f,x:g,y:h,right:m,spent:s.map(({time:b,usd:_},y)=>`${y===0?"M":"L"}${g(b)} ${h(_)}`).join(""),band:n&&`${v}L${m} ${h(n.high)}V${h(n.low)}z`,line:n&&`${v}L${m} ${h(n.usd)}`,budget:o===void 0?void 0:`M${u} ${h(o)}H${m}`}}function gs(e,{isWhole:t,isLines:s=!1}){let o=(e[0]?.values.map((d,c)=>{let f=e.map(({values:p})=>p[c]??0);return s?Math.max(...f):f.reduce((p,m)=>p+m,0)})??[]).reduce((d,c)=>Math.max(d,c),0);if(o===0)return t?[0,1]:[0,.01];let r=10**Math.floor(Math.log10(o/5)),i=[1,2,5,10].find(d=>o/(d*r)<=5)??10,l=t?Math.max(1,i*r):i*r,u=Math.ceil(o/l-1e-9);return Array.from({length:u+1},(d,c)=>Number((c*l).toPrecision(12)))}function Yo(e,t,s){let n=Math.max(1,Math.floor(s/64)),o=Xo[t].find(r=>e.length/r<=n)??Xo[t].at(-1);return e.flatMap((r,i)=>(t==="hour"?new Date(r*1e3).getUTCHours():i)%o===0?[{index:i,text:Sl(r,t)}]:[])}function Sl(e,t){let s=new Date(e*1e3);return t==="hour"?s.toISOString().slice(11,16):`${s.getUTCDate()} ${_l[s.getUTCMonth()]}`}function bs(e,t){let s=new Date(e*1e3).toISOString();return t==="hour"?`${s.slice(0,10)} ${s.slice(11,16)}`:s.slice(0,10)}function pe(e){return Math.round(e*10)/10}var It=240,ve=64,Qo=8,Pt=10,Ol=26,Tl=48;function zo({chart:e,linkOf:t}){let[s,n]=k(null),{isOpen:o,metric:r,unit:i,times:l,series:u,unpriced:d,zone:c}=e,f=s!==null&&s<l.length?s:null;return a`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${r.name} per ${i}</strong>
        <span class="soft small">
          ${f===null?`Times in ${c}${o&&i==="day"?"; today is not over":""}`:`${bs(l[f],i)} ${c}`}
        </span>
      </figcaption>
      <${Cl} chart=${e} hovered=${f} onHover=${n} linkOf=${t} />
      <ul class="legend">
        ${u.map(({name:p,values:m,isOther:g,...h},v)=>a`
            <li key=${`${v}${p}`}>
              <span class=${`swatch ${tr(g,v)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${p}</span>
              <strong>
                ${f===null?er(h,r):vs(m[f],r)}
              </strong>
            </li>
          `)}
      </ul>
      ${d>0&&a`
        <p class="hint">
          The price of ${d} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${Ml} chart=${e} linkOf=${t} zone=${c} />
    </figure>
  `}function Cl({chart:e,hovered:t,onHover:s,linkOf:n}){let o=U(null),r=Ne(o),{isOpen:i,metric:l,unit:u,times:d,series:c}=e,f={left:ve,top:Pt,width:r-ve-Qo,height:It-Pt-Ol},p=f.width/d.length,m=gs(c,l),g=l.isLines?Vo:Jo,h=r===0?[]:g(c,m.at(-1),f),v=y=>f.top+f.height*(1-y/m.at(-1)),b=y=>{let S=y.clientX-o.current.getBoundingClientRect().left-ve,O=Math.floor(S/p);s(O>=0&&O<d.length?O:null)},_=`${l.name} per ${u}: ${c.map(({name:y,...S})=>`${y} ${er(S,l)}`).join(", ")}`;return a`
    <div
      class=${l.isLines?"plot lines":"plot"}
      ref=${o}
      title="Show the requests of a period"
      onPointerMove=${b}
      onPointerLeave=${()=>s(null)}
      onClick=${()=>t!==null&&(location.hash=n(t))}
    >
      <svg
        width=${r}
        height=${It}
        viewBox=${`0 0 ${r} ${It}`}
        role="img"
        aria-label=${_}
      >
        ${t!==null&&a`
          <rect
            class="hovered"
            x=${ve+t*p}
            y=${Pt}
            width=${p}
            height=${f.height}
          />
        `}
        ${m.map(y=>a`
            <g key=${y}>
              <line class="grid" x1=${ve} x2=${r-Qo} y1=${v(y)} y2=${v(y)} />
              <text x=${ve-8} y=${v(y)+4} text-anchor="end">${l.format(y)}</text>
            </g>
          `)}
        ${h.map((y,S)=>a`<path key=${S} class=${tr(c[S].isOther,S)} d=${y} />`)}
        ${i&&!l.isLines&&r>0&&a`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${ve+(d.length-1)*p} y=${Pt} width=${p}
            height=${f.height} />
        `}
        ${r>0&&Yo(d,u,f.width).map(({index:y,text:S})=>a`
            <text
              key=${y}
              x=${ve+(y+.5)*p}
              y=${It-8}
              text-anchor=${(d.length-y-.5)*p<Tl/2?"end":"middle"}
            >${S}</text>
          `)}
      </svg>
    </div>
  `}function vs(e,t){return e===null?t.isLines?"\u2013":"unknown":t.format(e)}function er({total:e,isPartial:t},s){return`${t&&e!==null?"\u2265 ":""}${vs(e,s)}`}function tr(e,t){return e?"series-other":`series-${t+1}`}function Ml({chart:{times:e,series:t,metric:s,unit:n},linkOf:o,zone:r}){let[i,l]=k(!1);return a`
    <details onToggle=${u=>l(u.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${i&&a`
        <${Re} label=${`${s.name} per ${n}`}>
          <thead>
            <tr>
              <th scope="col">Time, ${r}</th>
              ${t.map(({name:u},d)=>a`<th key=${d} scope="col" class="number">${u}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${e.map((u,d)=>a`
                <tr key=${u}>
                  <th scope="row" class="name">
                    <a href=${o(d)}>${bs(u,n)}</a>
                  </th>
                  ${t.map(({values:c},f)=>a`
                      <td key=${f} class="number">${vs(c[d],s)}</td>
                    `)}
                </tr>
              `)}
          </tbody>
          <//>
      `}
    </details>
  `}var nr=["requests","errors","input_tokens","cached_input_tokens","output_tokens","cost_usd","unused_cost_usd","unpriced_requests"];function ys({by:e,period:{from:t,to:s,zone:n},then:o}){let r=[e,o].filter(i=>i);return`usage_${[Q(t,n),Q(s-1,n),...r].join("_")}.csv`}function or({by:e,detailed:t,groups:s,then:n,total:o}){let r=[e,n].filter(l=>l),i=[[...r,...nr]];for(let l of t??s)i.push([...r.map(u=>fe(l[u],u)),...sr(l)]);return i.push([...r.map((l,u)=>u===0?"Total":""),...sr(o??{})]),i.map(l=>l.map(ql).join(",")+`
`).join("")}function sr(e){return nr.map(t=>e[t]??(t==="cost_usd"?"":0))}function ql(e){if(typeof e=="number")return String(e);let t=/^[=+\-@\t\r]/.test(e)?`'${e}`:e;return/[",;\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t}function rr({data:e}){let t=e.detailed??e.groups,s=e.hasMore?`the first ${$(t.length)} rows`:`${$(t.length)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${ys(e)}
      onClick=${()=>wt(ys(e),or(e))}>CSV, ${s}</button>
  `}var Al={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"};function ir({choice:e,session:t,onChange:s}){let[n,o]=k(e),r=kt(t),i=de.map(c=>e[c]).join(`
`);K(()=>o(e),[i]);let l=(c,f)=>{let p=f.trim();p!==e[c]&&s({[c]:p,...p!==""&&Rl(c,e)})},u=new Set(["key","team","owner"]),d=de.filter(c=>!u.has(c)||t.hasAdmin);return a`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${c=>c.preventDefault()}
    >
      ${d.map(c=>a`
          <div class="field" key=${c}>
            <label for=${`usage-${c}`}>${Al[c]}</label>
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
              onChange=${f=>l(c,f.target.value)}
              onKeyDown=${f=>f.key==="Enter"&&l(c,f.target.value)}
            />
            <datalist id=${`usage-${c}-values`}>
              ${r.of(c).map(f=>a`<option key=${f} value=${f} />`)}
            </datalist>
          </div>
        `)}
      ${i.trim()!==""&&a`
        <button type="button" class="quiet" onClick=${()=>s(Object.fromEntries(de.map(c=>[c,""])))}>Clear</button>
      `}
    </form>
  `}function Rl(e,{by:t}){let s=e==="tag"?"end_user":e==="end_user"?"tag":void 0;return s&&{[s]:"",...t===s&&{by:"model"}}}function Dt({filters:e={},period:t}){let s=Object.entries(e).map(([n,o])=>`${n.replace("_"," ")} ${o}`);return a`
    <p class="only-print">
      ${[`${J(t.from)} to ${J(Math.min(t.to,D()))}`,...s].join(", ")}
    </p>
  `}var El=864e5,Ll=7,Nl=3;function lr({spent:e,costs:t,now:s,zone:n,since:o=-1/0}){let r=Y(s,n),i=[];for(let p=1;p<=Ll;p++){let m=Y(r,n,-p);if(m<o)break;i.push(t.get(Q(m,n))??0)}if(i.length<Nl)return;let u=(he(s,n,1)-s)/El,d=i.toSorted((p,m)=>p-m),c=i.reduce((p,m)=>p+m,0)/i.length,f=p=>e+p*u;return{usd:f(c),low:f(ar(d,.1)),high:f(ar(d,.9)),mean:c,left:u,days:i.length}}function ur({spent:e,costs:t,now:s,zone:n}){let[o,r]=[he(s,n),he(s,n,1)],i=[{time:o,usd:0}];for(let l=o;l<Y(s,n);){let u=i.at(-1).usd+(t.get(Q(l,n))??0);l=Y(l,n,1),i.push({time:l,usd:u})}return{start:o,end:r,points:[...i,{time:s,usd:e}]}}function cr(e,t,s){let n=new Map(e.filter(r=>r.status==="active"&&r.budget?.per==="month"&&["team","owner"].every(i=>s[i]===""||r[i]===s[i])&&(s.key===""||r.name===s.key)).map(({budget:r,name:i})=>[i,r.usd]));if(!(t.some(r=>r.cost_usd>0&&!n.has(r.key))||n.size===0))return[...n.values()].reduce((r,i)=>r+i,0)}function ar(e,t){let s=t*(e.length-1),[n,o]=[e[Math.floor(s)],e[Math.ceil(s)]];return n+(o-n)*(s-Math.floor(s))}function dr(e){let{budget:t,forecast:s,isMonth:n,now:o,rangeName:r,requests:i,spent:l,unpriced:u,zone:d}=e;if(i===0)return{title:`No requests: ${r.toLowerCase()}`,text:""};let c=l??0,f=u>0?"at least ":"";if(!n)return{title:`${r}: ${l===null?"an unknown cost":`${f}${w(c)}`}`,text:`${$(i)} requests.`};let p=Me(d,{month:"long"}).format(o);if(s===void 0)return{title:`${p} has cost ${f}${w(c)} so far`,text:"A forecast needs three full days."};let m=t===void 0?0:s.usd-t,g=t===void 0?"":m>0?`, ${Z(m)} over the budgets`:`, ${Z(-m)} under the budgets`;return{title:`${p} will end near ${f}${Z(s.usd)}${g}`,text:`${w(c)} has been spent. The forecast adds the mean of the last ${s.days} full days, ${w(s.mean)}, for the ${s.left.toFixed(1)} days that are left; it lies between ${Z(s.low)} and ${Z(s.high)}.`}}function Z(e){return e<100?w(e):`$${$(Number(e.toPrecision(3)))}`}var Il=new Set(["(other)","(unreadable)"]);function fr(e,{from:t,to:s},n={}){let o=Object.entries(Fe(e)).filter(([r])=>Je.includes(r));return q(mt({...le,...Object.fromEntries(o),...n},t,s))}function ws(e,t,s,n,o=""){if(!(n==null||Il.has(n)))return Je.includes(s)?fr(e,t,{[s]:n,status:o}):Ue({...e,[s]:n,by:"key",then:""})}function pr(e,{end:t,starts:s},n){return fr(e,{from:s[n],to:s[n+1]??t})}var Pl=2e4,Dl=8;function $r(e,t,s){let n=Fe(t),o=m=>{let g=async(v,b,_=s)=>{let y={...Lt(b,_),...n,...v!==""&&{group_by:v}},{parts:S,hasMore:O}=await Pe(async I=>{let{data:R,next:ie}=await T(B(e,"usage",{...y,...I}),{signal:m});return{part:R,next:ie}});return{entries:S.flat(),hasMore:O}},h=v=>e.hasAdmin?Promise.all([ft({},m),g("key",v)]).then(([b,{entries:_}])=>cr(b,_,t)).catch(()=>{}):T("/v1/usage?from=2100-01-01&to=2100-01-02",{signal:m}).then(({budget:b})=>Wl(b)?b.limit_usd:void 0);return Fl({choice:t,get:g,now:D(),zone:s,budgets:h})},{by:r,from:i,prefix:l,range:u,show:d,then:c,to:f}=t,p=[e.hasAdmin,u,i,f,r,c,l,s,d==="latency"];return L(o,[...p,JSON.stringify(n)])}async function Fl({choice:e,get:t,now:s,zone:n,budgets:o}){let{by:r,then:i}=e,l=rt(e,s,n),u=e.show==="latency",d=e.range==="month",c=d?{from:Math.min(l.from,Y(s,n,-Dl)),to:s+1}:void 0,f=d&&Kl.every(z=>e[z]===""),[p,m,g,h,v,b,_]=await Promise.all([t("",l),t(r,l),i===""?void 0:t(`${r},${i}`,l),t("model,provider",l),c&&t("day",c),jl(e,t,l),f?o(l):void 0]),y=m.entries.length*l.starts.length,S=m.hasMore||y>Pl,O=await t(S||u?l.unit:`${l.unit},${r}`,l),I=p.entries[0],R=I===void 0?0:N(I),ie=new Map((v?.entries??[]).map(z=>[z.day,N(z)??0])),ct={spent:R??0,costs:ie,now:s,zone:n},qs=v&&lr({...ct,since:b.since}),Zt=z=>r==="tag"&&e.prefix!==""?Uo(z,e.prefix):z;return{total:I,period:l,choice:e,by:r,then:i,isLatency:u,isTogether:S,budget:_,forecast:qs,course:d?ur(ct):void 0,headline:{spent:R,forecast:qs,budget:_,now:s,zone:n,isMonth:d,requests:I?.requests??0,unpriced:I?.unpriced_requests??0},groups:Zt(m.entries),hasMore:m.hasMore,detailed:g&&Zt(g.entries),prefixes:r==="tag"?Fo(m.entries):[],series:S||u?O.entries:Zt(O.entries),compared:b.result,bill:Ul(h.entries),unpriced:h.entries.filter(({unpriced_requests:z})=>z>0).sort((z,li)=>li.unpriced_requests-z.unpriced_requests)}}function Ul(e){return[...Map.groupBy(e,({provider:t})=>t)].map(([t,s])=>({...Bl(s),provider:t}))}function Bl(e){let t={};for(let s of e)for(let[n,o]of Object.entries(s))typeof o=="number"&&(t[n]=(t[n]??0)+o);return{cost_usd:0,...t}}async function jl(e,t,s){let n=Lo(e,s),o=he(s.from,s.zone,-12),[r]=(await t("day",{from:o,to:s.to},"UTC")).entries.map(({day:c})=>c).sort(),i=r===void 0?s.to:Date.parse(r);if(n===void 0||i>n.before.from)return{since:i,result:void 0};let[l,u]=await Promise.all([t("",n.now),t("",n.before)]),d=l.entries[0]&&u.entries[0]?{now:l.entries[0],before:u.entries[0],name:Hl(n.before,s.zone)}:void 0;return{since:i,result:d}}function Hl({from:e,to:t},s){return Me(s,{day:"numeric",month:"short"}).formatRange(e,t-1)}var Kl=["model","provider","tag","end_user"];function Wl(e){return e?.renews_at?Date.parse(e.renews_at)-Date.parse(e.period_start)>27*864e5:!1}var mr=14;function hr({data:{budget:e,course:t,forecast:s,period:{zone:n}}}){let o=U(null),r=Ne(o),{start:i,end:l,points:u}=t,{height:d,left:c,top:f}=Nt,{right:p,ticks:m,x:g,y:h,...v}=Zo({course:t,forecast:s,budget:e,width:r}),b=Me(n,{day:"numeric",month:"short"}),_=u.at(-1),y=[i,(i+l)/2,l-1],S=[`${w(_.usd)} on ${b.format(_.time)}`,s&&`forecast ${Z(s.usd)} on ${b.format(l-1)}, between ${Z(s.low)} and ${Z(s.high)}`,e!==void 0&&`the budget is ${w(e)}`].filter(Boolean).join("; ");return a`
    <figure class="card chart month-chart">
      <figcaption class="row spread">
        <strong>Cost of the month</strong>
        <span class="soft small">
          ${s?`Forecast of ${b.format(l-1)}: ${Z(s.usd)}`:`Until ${b.format(_.time)}, ${n}`}
        </span>
      </figcaption>
      <div class="plot" ref=${o}>
        <svg width=${r} height=${d} viewBox=${`0 0 ${r} ${d}`} role="img"
          aria-label=${S}>
          ${m.map(O=>a`
              <g key=${O}>
                <line class="grid" x1=${c} x2=${p} y1=${h(O)} y2=${h(O)} />
                <text x=${c-8} y=${h(O)+4} text-anchor="end">${w(O)}</text>
              </g>
            `)}
          ${y.map((O,I)=>a`
              <text key=${Q(O,n)} x=${g(O)} y=${d-8}
                text-anchor=${["start","middle","end"][I]}>${b.format(O)}</text>
            `)}
          ${v.band&&a`<path class="band" d=${v.band} />`}
          ${v.budget&&a`<path class="budget-line" d=${v.budget} />`}
          <path class="spent" d=${v.spent} />
          ${v.line&&a`<path class="forecast" d=${v.line} />`}
          ${v.budget&&a`
            <text x=${c+4} y=${h(e)+(h(e)<f+mr?mr:-4)}
            >Budget ${w(e)}</text>
          `}
        </svg>
      </div>
      ${s===void 0&&a`<p class="hint">A forecast needs three full days.</p>`}
    </figure>
  `}var Gl=[{name:"input",label:"US dollars per million input tokens"},{name:"output",label:"US dollars per million output tokens"},{name:"cached_input",label:"Per million cached input tokens",isOptional:!0}];function gr(e){let t=Ee([e]).map(({per:o,setting:r})=>({name:r,label:`US dollars per ${o}`})),s=t.length===0||e.input_tokens+e.output_tokens>0,n=Gl.map(o=>t.length>0?{...o,isOptional:!0}:o);return[...t,...s?n:[]]}function br({data:e,targets:t},s,n){let o=(e.find(({id:i})=>i===s)?.steps??[]).flatMap(i=>i.targets).filter(i=>i.provider===n).map(({upstream:i})=>i),r=t.filter(i=>i.provider===n&&o.includes(i.upstream));return r.length>0?r.map(({id:i})=>i):s===null?[]:[s]}function vr(e,t,s,n,o){let r=e.find(({path:p})=>p[0]==="providers"&&p[1]===t);if(r===void 0||s===void 0)return{fault:"config.yaml has no such provider: change its text."};let i=r.fields.find(({path:p})=>p.length===1&&p[0]==="models");if(i?.items===void 0)return{fault:"The provider has no list of models: name the model in 'models' first."};let l=n.map(({isOptional:p,name:m})=>[m,o[m]??"",p]);if(!l.every(([,p,m])=>/^\d+(\.\d+)?$/.test(p)||m&&p===""))return{};let d=Object.fromEntries(l.filter(([,p])=>p!=="").map(([p,m])=>[p,Number(m)])),c=i.items.findIndex(({name:p})=>p===s),f=[...r.path,"models",c===-1?i.items.length:c];return c!==-1&&i.items[c].is_text?{edits:[{path:[...f,"prices"],value:d}]}:{edits:[{path:f,value:{id:s,prices:d}}]}}var ks=20;function yr({entries:e,canSet:t}){let[s,n]=k(void 0),[o,r]=k([]),i=t&&e.length>0,{data:l}=L(async f=>i?await T("/v1/admin/config",{signal:f}):void 0,[i]);if(e.length===0)return null;let u=new Set(e.map(({model:f})=>f)).size,d=e.reduce((f,p)=>f+p.unpriced_requests,0),c=l?.editable===!1?l.read_only_reason:void 0;return a`
    <section class="to-do stack" aria-labelledby="to-do-title">
      <h2 id="to-do-title">${P(u,"model has","models have")} no price</h2>
      <p>${P(d,"request is","requests are")} not in these sums.${c&&a`<span class="soft"> ${c}.</span>`}</p>
      <ul class="price-list">
        ${e.slice(0,ks).map(f=>a`
            <li key=${xs(f)}>
              <span class="wrap-anywhere"><code>${f.model??"(no model)"}</code>
                <span class="soft"> at ${f.provider??"no provider"}, ${P(f.unpriced_requests,"request")}</span></span>
              ${o.includes(xs(f))?a`<span class="soft">Requests will have a cost from now on.</span>`:t&&a`
                  <button type="button" class="small" title=${c}
                    disabled=${!l||c!==void 0}
                    onClick=${()=>n(f)}
                    aria-label=${`Set a price of ${f.model} at ${f.provider}`}
                  >Set a price</button>
                `}
            </li>
          `)}
      </ul>
      ${e.length>ks&&a`
        <p class="soft">And ${$(e.length-ks)} more.</p>
      `}
      ${s&&a`
        <${Jl} entry=${s} onClose=${()=>n(void 0)}
          onSaved=${()=>{r([...o,xs(s)]),n(void 0)}} />
      `}
    </section>
  `}function xs({model:e,provider:t}){return JSON.stringify([e,t])}async function Xl({model:e,provider:t},s){let[n,o]=await Promise.all([T("/v1/admin/config",{signal:s}),T("/v1/admin/routes",{signal:s})]),r=n.file_text??n.text,{objects:i}=await T("/v1/admin/config/form",{body:{text:r,edits:[]},signal:s});return{config:n,base:r,objects:i,targets:br(o,e,t)}}function Jl({entry:e,onSaved:t,onClose:s}){let n=Ns("price"),[o,r]=k(0),{data:i,error:l}=L(y=>Xl(e,y),[o]),[u,d]=k(void 0),[c,f]=k({}),[p,m]=k({}),g=gr(e),h=i?.targets.find(y=>y===u)??i?.targets[0],{edits:v,fault:b}=i?vr(i.objects,e.provider,h,g,c):{};if(p.text!==void 0)return a`
      <${sn} config=${i.config} base=${i.base} text=${p.text}
        onSaved=${t} onClose=${s} onReload=${()=>{r(o+1),m({})}} />
    `;let _=async y=>{y.preventDefault();try{let S={text:i.base,edits:v};m(await T("/v1/admin/config/form",{body:S}))}catch(S){m({error:S})}};return a`
    <${W} title=${`Set a price of ${e.model}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${_}>
        <${C} error=${l??p.error} title="The price cannot be set" />
        ${!i&&!l&&a`<${A} />`}
        ${i?.targets.length>1&&a`
          <div class="field">
            <label for=${n}>Model in config.yaml</label>
            <select id=${n} value=${h} onChange=${y=>d(y.target.value)}>
              ${i.targets.map(y=>a`<option key=${y} value=${y}>${y}</option>`)}
            </select>
          </div>
        `}
        ${i&&b&&a`<p class="fault">${b}</p>`}
        ${g.map(({label:y,name:S,isOptional:O})=>a`
            <div class="field" key=${S}>
              <label for=${`${n}-${S}`}>${y}${O?", if it differs":""}</label>
              <input id=${`${n}-${S}`} type="text" inputmode="decimal" autocomplete="off"
                value=${c[S]??""} required=${!O}
                pattern="\\d{1,9}([.]\\d{1,9})?"
                onInput=${I=>f({...c,[S]:I.target.value})} />
            </div>
          `)}
        <p class="hint">Requests will have a cost from then on; earlier ones will still have none.</p>
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          <button type="submit" class="primary" disabled=${!v}>Review the change</button>
        </div>
      </form>
      <//>
  `}var wr={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"},_s=e=>({of:t=>t[e],text:E,isNumber:!0});function Vl(e,t){let s=e?N(e)??0:0;return[{id:"cost",title:"Cost",of:N,cell:V,isNumber:!0,card:"b"},{id:"share",title:"Share",isNumber:!0,card:"d",of:n=>s>0?(N(n)??0)/s:void 0,cell:n=>M(N(n)??0,s)},{id:"requests",title:"Requests",isNumber:!0,card:"c",mark:"Requests",of:n=>n.requests,text:$},{id:"errors",title:"Errors",isNumber:!0,of:n=>n.errors||null,cell:n=>{let o=t(n,"error");return o?a`<a href=${o}>${$(n.errors)}</a>`:$(n.errors)}},{id:"input",title:"Input",hint:"Input tokens",..._s("input_tokens")},{id:"cached",title:"Cached",hint:"Cached input",..._s("cached_input_tokens")},{id:"output",title:"Output",hint:"Output tokens",..._s("output_tokens")},...gt.map(n=>({...n,isNumber:!0,of:o=>o[n.id]||null})),{id:"unused",title:"Not used",isNumber:!0,hint:"Cost of attempts whose answer was not used",of:n=>n.unused_cost_usd||null,text:w},{id:"p50",title:"p50",of:({p50_ms:n})=>n,text:x,isNumber:!0},{id:"p95",title:"p95",of:({p95_ms:n})=>n,text:x,isNumber:!0}]}function Zl({cell:e,of:t,text:s},n){let o=t(n);return Es(o)?"\u2013":e?.(n)??s(o)}function kr({entries:e,detailed:t,by:s,then:n,total:o,linkOf:r}){let[i,l]=k({id:"cost",isRising:!1}),u=wr[s]+(n===""?"":`, ${wr[n].toLowerCase()}`),d=[{id:"name",title:u,isRisingFirst:!0,card:"a",...o&&{foot:"All"},of:({isSub:f,...p})=>fe(p[f?n:s],f?n:s)},...Vl(o,r).map(f=>({...f,...o&&{foot:Zl(f,o)}}))],c=G(()=>{let f=d.find(({id:g})=>g===i.id),p=Yt(e,f,i.isRising);if(t===void 0)return p;let m=Map.groupBy(t,g=>g[s]);return p.flatMap(g=>[g,...Yt((m.get(g[s])??[]).map(h=>({...h,isSub:!0})),f,i.isRising)])},[e,t,i]);return a`
    <${j} label=${`Usage by ${u.toLowerCase()}`} columns=${d} rows=${c}
      idOf=${f=>JSON.stringify([f[s],f.isSub?f[n]:void 0])}
      hrefOf=${f=>f.isSub?void 0:r(f)}
      classOf=${({isSub:f})=>f?"sub":""} order=${i} onOrder=${l} />
  `}var Yl=.05;function xr({data:e}){let{budget:t,compared:s,forecast:n,total:o}=e,{requests:r=0,errors:i=0,input_tokens:l=0,output_tokens:u=0}=o??{},d=o?N(o):0;return a`
    <dl class="figure-grid card">
      <${F} label="Cost" value=${V(o)}
        note=${Ql(t!==void 0&&`${M(d??0,t)} of ${w(t)}`,o?.unpriced_requests>0&&`${$(o.unpriced_requests)} with an unknown price`)} tone=${t!==void 0&&d>t?"bad":""} />
      ${n&&a`
        <${F} label="Forecast" value=${Z(n.usd)}
          note=${`${Z(n.low)} to ${Z(n.high)}`} />
      `}
      ${s&&a`
        <${F} label=${`Against ${s.name}`} value=${hs(N(s.now),N(s.before))||"\u2013"}
          note=${`${V(s.now)} against ${V(s.before)}, full days`} />
      `}
      <${F} label="Requests" value=${$(r)}
        note=${s&&hs(s.now.requests,s.before.requests)} />
      <${F} label="Errors" value=${$(i)}
        note=${i>0?`${(100*i/r).toFixed(1)} % of requests`:""}
        tone=${i>r*Yl?"bad":""} />
      <${F} label="Input tokens" value=${E(l)} note=${zl(o)} />
      <${F} label="Output tokens" value=${E(u)} note=${eu(o)} />
      ${Ee([o]).map(({id:c,title:f,text:p})=>a`<${F} key=${c} label=${f} value=${p(o[c])} />`)}
      <${F} label="Duration, p50" value=${r>0?x(o.p50_ms):"\u2013"}
        note=${r>0?`p95 ${x(o.p95_ms)}`:""} />
    </dl>
  `}function Ql(...e){return e.filter(t=>t).join(", ")}function zl(e){return e?.cached_input_tokens>0?`${E(e.cached_input_tokens)} cached`:""}function eu(e){let t=e?.estimated_requests??0;return t>0?`${$(t)} requests estimated`:""}var tu=[["model","Model"],["provider","Provider"],["team","Team"],["owner","Owner"],["key","Key"],["tag","Tag"],["end_user","End user"]],_r=["tag","end_user"],su=["team","owner","key"];function Ft(e,t,s=""){let n=_r.filter(o=>t[o]!==""||o===s);return tu.filter(([o])=>(e.hasAdmin||!su.includes(o))&&o!==s&&(!_r.includes(o)||n.every(r=>r===o)))}function nu(e,t){let s=(r,i)=>r.some(([l])=>l===i),n=s(Ft(e,t),t.by)?t.by:"model",o=s(Ft(e,t,n),t.then)?t.then:"";return{...t,by:n,then:o}}function Or({route:e}){let t=X(),s=vt(),n=nu(t,Et(e.query)),{data:o,error:r,isLoading:i,reload:l}=$r(t,n,s),u=f=>location.hash=Ue({...n,...f}),{title:d,text:c}=o?dr({...o.headline,rangeName:dt(n,s)}):{title:"Usage",text:""};return a`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${d}</h1>
          <p class="soft">${c} ${t.hasAdmin?"All keys.":"Your key's usage."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${l}
            disabled=${i}>Refresh</button>
          ${o&&a`<${rr} data=${o} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>
            Print
          </button>
        </div>
      </header>
      <${ir} choice=${n} session=${t} onChange=${u} />
      ${o&&a`<${Dt} filters=${Fe(n)} period=${o.period} />`}
      <${C} error=${r} title="No usage" />
      ${!o&&!r&&a`<${A} text="Loading the usage" />`}
      ${o&&a`
        <div class=${`stack wide ${i?"stale":""}`}>
          <${xr} data=${o} />
          <${yr} entries=${o.unpriced} canSet=${t.hasAdmin} />
          <div class="row no-print"><${me} label="Kind of report" value=${n.tab}
            options=${[["use","By use"],["bill","By bill"]]}
            onChange=${f=>u({tab:f})} /></div>
          ${o.groups.length===0?a`<div class="card empty">No request has ended in this period.</div>`:n.tab==="bill"?a`<${Go} entries=${o.bill} total=${o.total} />`:a`
              <${ou} data=${o} choice=${n} session=${t} onChange=${u} />
            `}
        </div>
      `}
    </div>
  `}function ou({data:e,choice:t,session:s,onChange:n}){let{by:o,detailed:r,groups:i,hasMore:l,isLatency:u,isTogether:d,period:c,series:f,then:p,total:m}=e,g=u?Ho(f,c,m):jo(f,c,{by:d?null:o,show:Sr(t)}),h=e.course!==void 0&&Sr(t)==="cost",v=(b,_)=>e.choice.prefix===""?ws(e.choice,c,o,b[o],_):ws(e.choice,c,o,`${e.choice.prefix}:${b[o]}`,_);return a`
    <div class="row spread no-print">
      <div class="row">
        <${me} label="Group by" value=${t.by} options=${Ft(s,t)}
          onChange=${b=>n({by:b,prefix:""})} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${t.then}
            onChange=${b=>n({then:b.target.value})}>
            <option value="">nothing</option>
            ${Ft(s,t,t.by).map(([b,_])=>a`<option key=${b} value=${b}>${_}</option>`)}
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
      <${me} label="Figure of the chart" value=${t.show}
        options=${ms.map(({id:b,name:_})=>[b,_])}
        onChange=${b=>n({show:b})} />
    </div>
    <div class=${h?"usage-charts":""}>
      <${zo} chart=${g} linkOf=${b=>pr(e.choice,c,b)} />
      ${h&&a`<${hr} data=${e} />`}
    </div>
    ${d&&!u&&a`
      <p class="hint">
        There are ${l?"more than ":""}${$(i.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${o==="tag"&&a`<p class="hint">${Bo(m,i,l)}</p>`}
    <section>
      <${kr} entries=${i} detailed=${r} by=${o} then=${p}
        total=${m}
        linkOf=${v} />
    </section>
  `}function Sr({show:e}){return e==="latency"?"requests":e}var Dr={};xe(Dr,{default:()=>Pr});var Cr=Object.fromEntries(["requests","input_tokens","cached_input_tokens","cache_write_tokens","cost_usd","unpriced_requests","saved_usd","cache_write_usd","unpriced_cached_requests","response_cache_hits","response_cache_misses","response_cache_saved_usd","unpriced_response_cache_hits","queued_requests","queued_ms","hedged_requests","hedge_usd","unpriced_hedges","price_ordered_requests","price_order_saved_usd","unpriced_price_orders","affinity_hits","affinity_moves","affinity_starts","affinity_input_tokens","affinity_cached_input_tokens","affinity_saved_usd"].map(e=>[e,0]));function ee(e){let{saved_usd:t,cache_write_usd:s,response_cache_saved_usd:n,hedge_usd:o}=e,{price_order_saved_usd:r}=e,i=t-n;return{prompt:i,reads:i+s,writes:s,response:n,order:r,hedges:o,net:t+r-o,unknown:e.unpriced_cached_requests+e.unpriced_response_cache_hits+e.unpriced_hedges+e.unpriced_price_orders}}function Mr(e){let t=N(e),{net:s,unknown:n}=ee(e);return t===null||n>0||e.unpriced_requests>0?null:t+s>0?s/(t+s):null}function qr(e){return{input:e.input_tokens-e.affinity_input_tokens,cached:e.cached_input_tokens-e.affinity_cached_input_tokens}}function Ar(e){return e.affinity_hits+e.affinity_moves+e.affinity_starts}function Rr(e){let{hedges:t,net:s,order:n,prompt:o,response:r}=ee(e);return`${w(s)} is ${w(o)} of prompt caching, ${w(r)} of the response cache and ${w(n)} of the cheapest target first, less ${w(t)} for hedges. Sessions that stay are a part of prompt caching.`}var Er={prompt:{text:"On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. Most other vendors cache automatically.",config:`routing:
  prompt_caching: auto`},sessions:{text:"Sends a session's requests to the target whose cache has its prompt.",config:`routing:
  affinity: { ttl: auto }`},order:{text:"Tries the cheapest of equal targets first. A nested list is a group of equals.",config:`aliases:
  cheapest:
    targets: [[model-a, model-b]]
    balance: price`},response:{text:"Answers identical requests with a temperature of 0 from memory, for each key separately.",config:`routing:
  cache: { ttl: 5m }`},hedges:{text:"Sends the request to a second target if the first one takes unusually long. It costs money and saves time.",config:`routing:
  hedge: { after: p90, share: 5%, usd_per_hour: 2 }`},queue:{text:"Requests wait for a limit instead of getting a 429.",config:`routing:
  queue: { max_wait: 20s }`}};function Lr({total:e}){let t=ee(e);return a`
    <div class="saving-grid">
      <${ru} total=${e} amounts=${t} />
      <${iu} total=${e} />
      <${au} total=${e} amounts=${t} />
      <${lu} total=${e} amounts=${t} />
      <${uu} total=${e} amounts=${t} />
      <${cu} total=${e} />
    </div>
  `}function ru({total:e,amounts:t}){let{cached_input_tokens:s,cache_write_tokens:n,input_tokens:o}=e;return a`
    <${Be}
      id="prompt"
      title="Prompt caching"
      isUsed=${s+n>0}
      value=${w(t.prompt)}
      what="saved, less the cost of writes"
      facts=${[["Reads saved",w(t.reads)],["Writes cost",w(t.writes)],["Cached input",`${M(s,o)}, ${E(s)} of ${E(o)}`],["Written",`${E(n)} tokens`],Ut(e.unpriced_cached_requests)]}
      basis="The vendors' token counts, at their prices."
    />
  `}function iu({total:e}){let{affinity_hits:t,affinity_moves:s,affinity_starts:n}=e,o=qr(e);return a`
    <${Be}
      id="sessions"
      title="Sessions that stay"
      isUsed=${Ar(e)>0}
      value=${w(e.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[["Stayed",P(t,"request")],["Moved",$(s)],["Started",$(n)],["Cached, if stayed",M(e.affinity_cached_input_tokens,e.affinity_input_tokens)],["Cached, others",M(o.cached,o.input)]]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `}function au({total:e,amounts:t}){return a`
    <${Be}
      id="order"
      title="Cheapest first"
      isUsed=${e.price_ordered_requests>0}
      value=${w(t.order)}
      what="saved"
      facts=${[["Requests",$(e.price_ordered_requests)],Ut(e.unpriced_price_orders)]}
      basis="Estimated: the same tokens at the first target in config.yaml order."
    />
  `}function lu({total:e,amounts:t}){let{response_cache_hits:s,response_cache_misses:n}=e;return a`
    <${Be}
      id="response"
      title="Response cache"
      isUsed=${s+n>0}
      value=${w(t.response)}
      what="saved"
      facts=${[["Hits",`${$(s)}, ${M(s,s+n)}`],["Misses",$(n)],Ut(e.unpriced_response_cache_hits)]}
      basis="What each answer cost when it was generated."
    />
  `}function uu({total:e,amounts:t}){let{hedged_requests:s,requests:n}=e;return a`
    <${Be}
      id="hedges"
      title="Hedges"
      isUsed=${s>0}
      value=${w(t.hedges)}
      what="spent"
      tone=${t.hedges>0?"warn":""}
      facts=${[["Requests",`${$(s)}, ${M(s,n)}`],Ut(e.unpriced_hedges)]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `}function cu({total:e}){let{queued_requests:t,queued_ms:s}=e;return a`
    <${Be}
      id="queue"
      title="Queue"
      isUsed=${t>0}
      value=${$(t)}
      what="requests waited"
      facts=${[["Average wait",x(t===0?0:s/t)],["All waits",x(s)]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `}function Ut(e){return e>0?["Unknown price",`${P(e,"request")}, not included`]:void 0}function Be({id:e,title:t,isUsed:s,value:n,what:o,tone:r="",facts:i,basis:l}){return a`
    <section class=${`card saving figure ${r}`} aria-labelledby=${`saving-${e}`}>
      <h2 id=${`saving-${e}`}>${t}</h2>
      ${s?a`
          <p class="figure-line">
            <span class="figure-value">${n}</span>
            <span class="figure-note">${o}</span>
          </p>
          <${te} class="saving-facts" facts=${i.filter(u=>u)} />
          <p class="hint">${l}</p>
        `:a`<${du} id=${e} />`}
    </section>
  `}function du({id:e}){let{text:t,config:s}=Er[e];return a`
    <p class="soft">No request used it in this period.</p>
    <p class="hint">${t}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${s}</pre>
      <${se} text=${s} label="Copy the settings" isIcon=${!0} class="quiet small" />
    </div>
  `}var fu={model:"Alias or model",provider:"Provider",key:"Key"},pu=[{id:"net",title:"Net saved",isNumber:!0,card:"b",hint:"Prompt caching, response cache and cheapest first, less hedges",of:e=>ee(e).net,cell:e=>{let{net:t,unknown:s}=ee(e);return`${w(t)}${s>0?" and unknown":""}`}},...[["prompt","Prompt caching","Cached input at its price, less the cost of writes"],["response","Response cache","The cost of the answers when they were generated"],["order","Cheapest first, est.","Compared with the first target in config.yaml"],["hedges","Hedges cost","Attempts whose answer was not used"]].map(([e,t,s])=>({id:e,title:t,hint:s,isNumber:!0,text:w,of:n=>ee(n)[e]||void 0})),{id:"cached",title:"Cached input",isNumber:!0,card:"c",mark:"cached",of:e=>e.input_tokens===0?void 0:e.cached_input_tokens/e.input_tokens,text:e=>M(e,1)},{id:"requests",title:"Requests",isNumber:!0,text:$,of:e=>e.requests},{id:"cost",title:"Cost",of:N,cell:V,isNumber:!0,card:"d"}];function Nr({entries:e,hasMore:t,by:s}){let n=[{id:"name",title:fu[s],of:o=>fe(o[s],s),isRisingFirst:!0},...pu];return a`
    <${j} label=${`Savings by ${s}`} columns=${n} rows=${e}
      idOf=${o=>String(o[s])} order=${{id:"net",isRising:!1}} />
    ${t&&a`<p class="hint">The first ${$(e.length)}.</p>`}
  `}var Ir=[["model","Alias or model"],["provider","Provider"],["key","Key"]];function Pr({route:e}){let t=X(),s=t.hasAdmin?Ir:Ir.filter(([p])=>p!=="key"),n=Et(e.query),r=s.some(([p])=>p===n.by)?n:{...n,by:"model"},i=vt(),{data:l,error:u,isLoading:d,reload:c}=$u(t,r,i),f=p=>location.hash=Ue({...r,...p},"savings");return a`
    <div class="view" data-view="savings">
      <${ne}
        title=${l?.total?mu(l.total):"Savings"}
        note=${t.hasAdmin?"Requests from all keys.":"Requests from your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${c} disabled=${d}>Refresh</button>
        <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>Print</button>
      <//>
      ${l&&a`<${Dt} period=${rt(r,D(),i)} />`}
      <${C} error=${u} title="No savings" />
      ${!l&&!u&&a`<${A} text="Loading the savings" />`}
      ${l&&a`
        <div class=${`stack wide ${d?"stale":""}`}>
          ${l.total&&a`
            <${hu} total=${l.total} />
            <p class="soft small">${Rr(l.total)}</p>
          `}
          ${!l.total&&a`
            <p class="card empty">No request has ended in this period.</p>
          `}
          <${Lr} total=${l.total??Cr} />
          ${l.total&&a`
            <div class="row no-print">
              <${me}
                label="Group by"
                value=${r.by}
                options=${s}
                onChange=${p=>f({by:p})}
              />
            </div>
            <${Nr} entries=${l.groups} hasMore=${l.hasMore} by=${l.by} />
          `}
        </div>
      `}
    </div>
  `}function $u(e,t,s){let{range:n,from:o,to:r,by:i}=t;return L(async u=>{let d=Lt(rt(t,D(),s),s),c=m=>T(B(e,"usage",{...d,...m}),{signal:u}),[f,p]=await Promise.all([c({}),Pe(async m=>{let{data:g,next:h}=await c({group_by:i,...m});return{part:g,next:h}})]);return{total:f.data[0],groups:p.parts.flat(),hasMore:p.hasMore,by:i}},[e.hasAdmin,n,o,r,i,s])}function mu(e){let{net:t}=ee(e),s=Mr(e);if(t<0)return`Spent ${w(-t)} more than was saved`;let n=s===null?"":`, ${M(s,1)} of what it would have cost`;return`Saved ${w(t)}${n}`}function hu({total:e}){let{net:t,unknown:s}=ee(e);return a`
    <dl class="figure-grid card">
      <${F} label="Saved, net" value=${w(t)}
        note=${s>0?`${$(s)} with an unknown price`:""} />
      <${F}
        label="Cost"
        value=${V(e)}
        note=${e.unpriced_requests>0?`${$(e.unpriced_requests)} with an unknown price`:""}
      />
      <${F} label="Requests" value=${$(e.requests)} />
      <${F}
        label="Cached input"
        value=${M(e.cached_input_tokens,e.input_tokens)}
        note=${`of ${E(e.input_tokens)} tokens`}
      />
    </dl>
  `}var ai={};xe(ai,{default:()=>ii});var Bt=[["hour","hour"],["day","day"],["week","week"],["month","month"],["total","whole life"]],Te=[["requests_per_minute","Requests per minute","requests/min"],["tokens_per_minute","Tokens per minute","tokens/min"],["concurrent","Concurrent requests","concurrent"],["requests_per_hour","Requests per hour","requests/h"],["tokens_per_hour","Tokens per hour","tokens/h"],["requests_per_day","Requests per day","requests/day"],["tokens_per_day","Tokens per day","tokens/day"],...["Searches","Images","Characters","Seconds"].flatMap(e=>{let t=e.toLowerCase();return[[`${t}_per_minute`,`${e} per minute`,`${t}/min`],[`${t}_per_day`,`${e} per day`,`${t}/day`]]})],jt=3;function ye(e){let{models:t,limits:s,budget:n,expires:o}=e??{};return{name:e?.name??"",models:(t??[]).join(`
`),...Object.fromEntries(Te.map(([r])=>[r,String(s?.[r]??"")])),usd:String(n?.usd??""),per:n?.per??"month",unknownPrices:n?.unknown_prices,expires:o==null?"":new Date(o*1e3).toISOString().slice(0,10),...Object.fromEntries(Fr.map(r=>[r,e?.[r]??""]))}}var Fr=["owner","team","note"];function Ur(e){let t=Object.entries(Ss(e)).filter(([,s])=>s!==null);return{name:e.name.trim(),...Object.fromEntries(t)}}function Ht(e,t){let s=Ss(ye(t));return Object.fromEntries(Object.entries(Ss(e)).filter(([n,o])=>JSON.stringify(o)!==JSON.stringify(s[n])))}function Ss(e){let t=e.models.split(/[\n,]/).map(n=>n.trim()).filter(n=>n!==""),s=Te.filter(([n])=>e[n].trim()!=="");return{models:t.length===0?null:t,limits:s.length===0?null:Object.fromEntries(s.map(([n])=>[n,Br(e[n])])),budget:e.usd.trim()===""?null:gu(e),expires:e.expires===""?null:e.expires,...Object.fromEntries(Fr.map(n=>[n,e[n].trim()||null]))}}function gu({usd:e,per:t,unknownPrices:s}){let n={usd:Br(e),per:t};return s===void 0?n:{...n,unknown_prices:s}}function Br(e){let t=Number(e);return Number.isFinite(t)?t:e}function je(e){return Te.flatMap(([t,,s])=>e?.[t]==null?[]:[`${$(e[t])} ${s}`])}function re({usd:e,per:t}){let s=t==="total"?"in total":t==="hour"?"an hour":`a ${t}`;return`${w(e)} ${s}`}function jr(e,{origin:t,hasKey:s}){let{budget:n,expires:o,key:r,models:i,name:l,owner:u}=e,d=[`It may use ${i===null?"all models":i.join(", ")}`,n===null?"":`, up to ${re(n)}`,o===null?"":`, until ${new Date(o*1e3).toISOString().slice(0,10)}`];return[...u===null?[]:[`Hello ${u},`],`your key "${l}" for our model gateway is ready. ${d.join("")}.`,`Address: ${t}/v1`,`Usage and budget: ${t}/ (sign in with the key)`,s?`Key: ${r}`:"The key itself follows separately."].join(`
`)}function Hr({status:e,previous_valid_until:t},s){return e==="active"&&t!=null&&t*1e3>s?t:void 0}function Kt({fields:e,onChange:t,isNew:s,knownTeams:n=[]}){let o=u=>d=>t({...e,[u]:d.target.value}),r=(u,d)=>a`
      <div class="field">
        <label for=${`key-${u}`}>${d}</label>
        <input
          id=${`key-${u}`}
          type="text"
          inputmode="numeric"
          autocomplete="off"
          placeholder="Default"
          value=${e[u]}
          onInput=${o(u)}
        />
      </div>
    `,[i]=k(()=>Te.slice(jt).some(([u])=>e[u]!=="")),l=(u,d,c=[])=>a`
      <div class="field">
        <label for=${`key-${u}`}>${d}</label>
        <input
          id=${`key-${u}`}
          type="text"
          maxlength="128"
          autocomplete="off"
          spellcheck=${u==="note"}
          list=${c.length>0?`key-${u}-known`:void 0}
          value=${e[u]}
          onInput=${o(u)}
        />
        ${c.length>0&&a`
          <datalist id=${`key-${u}-known`}>
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
      ${l("team","Team",n)}
      ${l("owner","Owner")}
    </div>
    ${l("note","Note")}
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
          ${Bt.map(([u,d])=>a`<option key=${u} value=${u}>${d}</option>`)}
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
        ${Te.slice(0,jt).map(([u,d])=>r(u,d))}
      </div>
      <details class="more-limits" open=${i}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${Te.slice(jt).map(([u,d])=>r(u,d))}
        </div>
      </details>
    </fieldset>
  `}function Ce(e){let[t,s]=k({isBusy:!1,error:void 0});return{...t,start:async o=>{if(o.preventDefault(),!t.isBusy){s({isBusy:!0,error:void 0});try{await e(),s({isBusy:!1,error:void 0})}catch(r){s({isBusy:!1,error:r})}}}}}function we({id:e}){return`/v1/admin/keys/${encodeURIComponent(e)}`}function Kr({entry:e,onChanged:t,onClose:s}){let[n,o]=k(()=>ye(e)),{isBusy:r,error:i,start:l}=Ce(async()=>{let u=Ht(n,e);Object.keys(u).length>0&&(await T(we(e),{method:"PATCH",body:u}),t()),s()});return a`
    <${W} title=${`Edit ${e.name}`} onClose=${s}>
      <form class="stack" onSubmit=${l}>
        <${Kt} fields=${n} onChange=${o} isNew=${!1} />
        <${C} error=${i} title="Not changed" />
        <${Os} text="Save" isBusy=${r} onClose=${s} />
      </form>
      <//>
  `}function Wr({entry:e,onChanged:t,onClose:s}){let[n,o]=k("1h"),[r,i]=k(void 0),{isBusy:l,error:u,start:d}=Ce(async()=>{let c={overlap:n.trim()||"0s"};i(await T(`${we(e)}/rotate`,{body:c})),t()});return r!==void 0?a`<${bu} entry=${r} onClose=${s} />`:a`
    <${W} title=${`Rotate ${e.name}`} onClose=${s} class="narrow">
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
        <${C} error=${u} title="Not rotated" />
        <${Os} text="Rotate" isBusy=${l} onClose=${s} />
      </form>
      <//>
  `}function Gr({entry:e,onChanged:t,onClose:s}){let{isBusy:n,error:o,start:r}=Ce(async()=>{await T(we(e),{method:"DELETE"}),t(),s()});return a`
    <${W} title=${`Revoke ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${r}>
        <p>
          Requests with the key <strong class="wrap-anywhere">${e.name}</strong> will be rejected from now on. This cannot be undone. Its name stays taken, and its usage is kept.
        </p>
        <${C} error=${o} title="Not revoked" />
        <${Os} text="Revoke key" isBusy=${n} onClose=${s} tone="destructive" />
      </form>
      <//>
  `}function Os({text:e,isBusy:t,onClose:s,tone:n=""}){return a`
    <div class="row end">
      <button type="button" onClick=${s}>Cancel</button>
      <button type="submit" class=${`primary ${n}`} disabled=${t}>${e}</button>
    </div>
  `}function bu({entry:e,onClose:t}){return a`
    <${W} title=${`The key ${e.name}`} onClose=${t} class="narrow" isHeld=${!0}>
      <div class="stack">
        <p>Copy the key now. It is not stored and cannot be shown again.</p>
        <div class="row key-text">
          <code class="wrap-anywhere" data-secret="key">${e.key}</code>
          <${se} text=${e.key} label="Copy" class="primary" />
        </div>
        <div class="row end">
          <button type="button" onClick=${t}>I have copied it</button>
        </div>
      </div>
      <//>
  `}var Wt=.9,vu=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeZone:"UTC"}),yu=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeStyle:"short",timeZone:"UTC"});function at({limit_usd:e,spent_usd:t,...s}){let n=e>0?t/e:1,o=n>=1?"bad":n>=Wt?"warn":"good",{forecast_usd:r,renews_at:i,unpriced_requests:l}=s,u=[i&&`renews ${Vr(i)}`,r!==null&&t>0&&`at this rate ${w(r)}${r>e?", more than the budget":""}`,l>0&&`${$(l)} requests with an unknown price`].filter(d=>d);return{tone:o,share:n,notes:u}}function Gt({budget:e,status:t,usage:s}){if(e===null||!s?.budget||t==="revoked")return;let{limit_usd:n,spent_usd:o}=s.budget;return n>0?o/n:1}function Xt(e){return(Gt(e)??0)>=Wt}function Xr(e){let t=e.filter(({status:u})=>u!=="revoked"),s=t.filter(Xt),n=t.filter(u=>(Gt(u)??0)>=1),o=P(t.length,"key"),r=s.length===0?t.some(({budget:u})=>u!==null)?`No key is over ${100*Wt} % of its budget`:`${o}, none with a budget`:`${$(s.length)} of ${o} ${s.length===1?"is":"are"} over ${100*Wt} % of ${s.length===1?"its budget":"their budgets"}`,i=n[0]?.usage.budget.renews_at,l=n.length===0?s.length===0&&t.length>0?`${o} in total.`:"":`${n.length===1?"It has":`${$(n.length)} have`} used it up and ${n.length===1?"is":"are"} refused with 429${n.length===1&&i?` until ${Vr(i)}`:""}.`;return{title:r,text:l,used:n.length===1?n[0]:void 0}}function Jr(e){let t=e.filter(({status:l})=>l!=="revoked"),s=t.flatMap(({usage:l})=>l?.budget??[]),n=(l,u)=>l.reduce((d,c)=>d+c[u],0),o=e.flatMap(({usage:l})=>l?.last_used??[]).sort(),r=Math.max(0,...e.map(({usage:l})=>l?.days.length??0)),i=Array.from({length:r},(l,u)=>{let d=e.flatMap(({usage:c})=>c?.days[u]??[]);return{requests:n(d,"requests"),cost_usd:n(d,"cost_usd")}});return{active:t.length,near:t.filter(Xt).length,days:i,lastUsed:o.at(-1),budget:n(s,"limit_usd"),spent:n(s,"spent_usd"),owners:[...new Set(e.flatMap(({owner:l})=>l??[]))].sort()}}function Vr(e){let t=new Date(e);return e.includes("T00:00:00")?vu.format(t):`${yu.format(t)} UTC`}function lt(e){let t=s=>e.reduce((n,o)=>n+o[s],0);return`${e.length} days: ${$(t("requests"))} requests, ${w(t("cost_usd"))}`}function Jt({budget:e,spending:t}){if(!t)return a`${re(e)}`;let{tone:s,notes:n,share:o}=at(t),{forecast_usd:r,limit_usd:i,spent_usd:l}=t,u=[`${w(l)} of ${re(e)}`,...n].join(", "),d=r!==null&&r>i;return a`
    <span class="budget" title=${u}>
      <span
        class=${`meter ${s}`}
        role="meter"
        aria-label=${`Spent of ${re(e)}`}
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
      <span class="limit soft">of ${re(e)}</span>
    </span>
  `}var Zr=new Map([["expired","warn"],["disabled","bad"]]);function ut({id:e}){return`#/keys/${encodeURIComponent(e)}`}function Ts(e){return`#/keys/team/${encodeURIComponent(e)}`}function Cs({entry:e}){let{reason:t,status:s}=e,n=Hr(e,Date.now());return a`
    <span class=${Zr.has(s)?`badge ${Zr.get(s)}`:"soft"} title=${t??""}
    >${s}</span>
    ${n&&a`
      <span class="small soft"> the old value is valid until ${new Date(n*1e3).toLocaleTimeString("en-GB")}</span>
    `}
  `}var wu=({usage:e})=>e?.days.reduce((t,{requests:s})=>t+s,0),ku=[{id:"name",title:"Key",of:({name:e})=>e,isRisingFirst:!0,card:"a"},{id:"team",title:"Team",of:({team:e})=>e,isRisingFirst:!0,panel:"low",text:e=>a`<a href=${Ts(e)}><${ae} text=${e} /></a>`},{id:"owner",title:"Owner",of:({owner:e})=>e,isRisingFirst:!0,panel:"low"},{id:"share",title:"Of the budget",of:Gt,card:"c",hint:"Spent in the current period; an arrow means that the forecast passes the budget",cell:({budget:e,usage:t})=>e&&a`<${Jt} budget=${e} spending=${t?.budget} />`},{id:"spent",title:"Spent",isNumber:!0,card:"b",of:({usage:e})=>e?.budget?.spent_usd,text:w},{id:"used",title:"Last used",card:"d",hint:"The last day in UTC with a request, in the last 30 days",of:({usage:e})=>e?.last_used},{id:"requests",title:"Requests, 30 d",of:wu,text:$,isNumber:!0},{id:"limits",title:"Limits",isProse:!0,of:({limits:e})=>je(e).join(", ")},{id:"status",title:"Status",of:({status:e})=>e,cell:e=>a`<${Cs} entry=${e} />`},{id:"created",title:"Created",of:({created:e})=>e??"config.yaml",text:e=>typeof e=="number"?Ye(e):a`<code>config.yaml</code>`},{id:"prefix",title:"Begins with",of:({prefix:e})=>e,isRisingFirst:!0,text:e=>a`<code>${e}…</code>`}];function He({source:e,status:t}){return e==="store"&&t!=="revoked"}function Vt({keys:e,marks:t,onAction:s}){return a`
    <${j} label="Keys" columns=${ku} rows=${e} idOf=${({id:o})=>o}
      hrefOf=${ut} actionsOf=${o=>[{text:"Open",href:ut(o)},{text:"Requests",href:`#/requests?${new URLSearchParams({key:o.name})}`},{text:"Copy name",copy:o.name},...He(o)?[{text:"Edit",run:()=>s("edit",o)},{text:"Rotate",run:()=>s("rotate",o)},{text:"Revoke",run:()=>s("revoke",o),isDanger:!0}]:[]]} order=${{id:"share",isRising:!1}}
      marks=${t} classOf=${({status:o})=>o==="revoked"?"revoked":""} />
  `}function Qr({keys:e,onAction:t,onClear:s}){let n=e.reduce((i,{usage:l})=>i+(l?.budget?.spent_usd??0),0),o=e.some(He),r=(i,l,u="")=>a`
      <button type="button" class=${`small ${u}`} disabled=${!o}
        onClick=${()=>t(i)}>${l}</button>
    `;return a`
    <div class="row bulk" role="status">
      <span><strong>${$(e.length)} selected</strong>, ${w(n)} spent together</span>
      ${r("budget","Change budget")} ${r("team","Change team")}
      ${r("revoke","Revoke","danger")}
      <button type="button" class="quiet small" onClick=${s}>Clear</button>
    </div>
  `}var Yr={budget:"Change the budget",team:"Change the team",revoke:"Revoke"};function zr({kind:e,keys:t,onChanged:s,onClose:n}){let o=t.filter(He),[r,i]=k({usd:"",per:"month",team:""}),[l,u]=k(0),d=g=>h=>i({...r,[g]:h.target.value}),{isBusy:c,error:f,start:p}=Ce(async()=>{try{for(let[g,h]of o.slice(l).entries())await _u(e,h,r),u(l+g+1)}finally{s()}n()}),m=t.length-o.length;return a`
    <${W} title=${`${Yr[e]} of ${$(o.length)} keys`} onClose=${n}
      class="narrow">
      <form class="stack" onSubmit=${p}>
        <p class="wrap-anywhere">${o.slice(0,8).map(({name:g})=>g).join(", ")}${o.length>8?`, and ${$(o.length-8)} more`:""}</p>
        ${m>0&&a`
          <p class="soft">${$(m)} of them ${m===1?"is":"are"} in config.yaml or
            revoked, and stay as they are.</p>
        `}
        ${e==="revoke"&&a`
          <p>Their requests will be rejected from now on. This cannot be undone.</p>
        `}
        ${e==="team"&&a`
          <div class="field">
            <label for="bulk-team">Team</label>
            <input id="bulk-team" type="text" maxlength="128" value=${r.team}
              onInput=${d("team")} />
          </div>
        `}
        ${e==="budget"&&a`<${xu} fields=${r} set=${d} />`}
        <${C} error=${f}
          title=${`${$(l)} of ${$(o.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class=${`primary ${e==="revoke"?"destructive":""}`}
            disabled=${c||o.length===0}
          >${c?`${$(l)} of ${$(o.length)}`:Yr[e]}</button>
        </div>
      </form>
      <//>
  `}function xu({fields:e,set:t}){return a`
    <div class="two-fields">
      <div class="field">
        <label for="bulk-usd">US dollars</label>
        <input id="bulk-usd" type="text" inputmode="decimal" placeholder="None"
          value=${e.usd} onInput=${t("usd")} />
      </div>
      <div class="field">
        <label for="bulk-per">per</label>
        <select id="bulk-per" value=${e.per} onChange=${t("per")}>
          ${Bt.map(([s,n])=>a`<option key=${s} value=${s}>${n}</option>`)}
        </select>
      </div>
    </div>
  `}async function _u(e,t,{team:s,usd:n,per:o}){if(e==="revoke")return await T(we(t),{method:"DELETE"});let r=e==="team"?{team:s}:{usd:n,per:o},i=Ht({...ye(t),...r},t);if(Object.keys(i).length!==0)return await T(we(t),{method:"PATCH",body:i})}var Su="The key will not be shown again.",Ou="Your input will be lost.";function ei({onCreated:e,teams:t}){let[s,n]=k(ye),[o,r]=k(void 0),i=JSON.stringify(s)!==JSON.stringify(ye()),{isBusy:l,error:u,start:d}=Ce(async()=>{r(await T("/v1/admin/keys",{body:Ur(s)})),e()});if(o!==void 0)return a`<${Tu} entry=${o} />`;let c=f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&d(f)};return a`
    <${ke} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${i&&a`<${ti} text=${Ou} />`}
    <form class="stack key-page" onSubmit=${d} onKeyDown=${c}>
      <${Kt} fields=${s} onChange=${n} isNew=${!0} knownTeams=${t} />
      <${C} error=${u} title="Not created" />
      <div class="row">
        <button type="submit" class="primary" disabled=${l}>Create key</button>
        <a class="button" href="#/keys">Cancel</a>
        <span class="small soft">Ctrl Enter</span>
      </div>
    </form>
  `}function ke({text:e}){return a`
    <nav class="crumb small" aria-label="Position">
      <a href="#/keys">Keys</a> <span class="soft">/</span> <span>${e}</span>
    </nav>
  `}function ti({text:e}){let[t,s]=k(void 0),n=U(()=>{});return K(()=>{n.current=nn(s);let r=i=>i.preventDefault();return addEventListener("beforeunload",r),()=>{n.current(),removeEventListener("beforeunload",r)}},[]),t===void 0?null:a`
    <${W} title="Leave this page?" onClose=${()=>s(void 0)} class="narrow"
      isHeld=${!0}>
      <p>${e}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${()=>s(void 0)}>Stay</button>
        <button type="button" class="danger" onClick=${()=>{n.current(),location.hash=t}}>Leave</button>
      </div>
      <//>
  `}function Tu({entry:e}){let{expires:t,key:s,limits:n,models:o,name:r,note:i,owner:l,team:u}=e,d=[["Team",u],["Owner",l],["Note",i],["Models",o===null?"all":o.join(", ")],["Budget",e.budget===null?"none":re(e.budget)],["Limits",je(n).join(", ")||"default"],["Expires",t===null?"never":new Date(t*1e3).toISOString().slice(0,10)]].filter(([,p])=>p!==null),[c,f]=k(!1);return K(()=>{c&&(location.hash="#/keys")},[c]),a`
    ${!c&&a`<${ti} text=${Su} />`}
    <${ke} text=${r} />
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
            <${se} text=${s} label="Copy key" class="primary" />
          </div>
        </section>
        <${Cu} keyText=${s} />
        <${qu} entry=${e} />
      </div>
      <aside class="stack wide">
        <section class="card stack padded">
          <h2>What it may</h2>
          <${te} facts=${d} class="key-facts" />
        </section>
        <button type="button" class="primary" onClick=${()=>f(!0)}>I have copied it</button>
        <p class="small soft">This button closes the page; Back and links ask first.</p>
      </aside>
    </div>
  `}function Cu({keyText:e}){let[t,s]=k(""),n=new URLSearchParams({os:si(),origin:location.origin}),{data:o,error:r}=L(l=>T(`/v1/clients?${n}`,{key:e,signal:l}),[e]),i=o?.data.find(l=>l.id===t)??o?.data[0];return a`
    <section class="stack" aria-label="Settings of the client">
      <h2>2. Settings of the client</h2>
      <${C} error=${r} title="The settings cannot be shown" />
      ${o?.data.length===0&&a`
        <p class="soft">The key may use no model that answers chats.</p>
      `}
      ${i!==void 0&&a`
        <label class="row">Client
          <select value=${i.id} onChange=${l=>s(l.target.value)}>
            ${o.data.map(l=>a`<option key=${l.id} value=${l.id}>${l.title}</option>`)}
          </select>
        </label>
        ${Mu(i,e).map(({title:l,text:u})=>a`
            <div key=${l} class="stack">
              <div class="row spread"><code>${l}</code>
                <${se} text=${u} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${l}>${u}</pre>
            </div>
          `)}
      `}
    </section>
  `}function Mu({files:e,steps:t},s){let n="SLUICE_API_KEY";return[{title:"Key in the environment",text:si()==="windows"?`setx ${n} ${s}`:`export ${n}=${s}`},...e.map(({path:i,text:l})=>({title:i,text:l})),...t.length===0?[]:[{title:"Steps",text:t.join(`
`)}]]}function si(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function qu({entry:e}){let[t,s]=k(!1),n=jr(e,{origin:location.origin,hasKey:t});return a`
    <section class="stack" aria-label="A message to send">
      <div class="row spread">
        <h2>3. A message to send</h2>
        <label class="check">
          <input type="checkbox" checked=${t} onChange=${()=>s(!t)} />
          with the key in it
        </label>
        <${se} text=${n} label="Copy message" class="small" />
      </div>
      <pre class="code-box" tabindex="0" aria-label="Message">${n}</pre>
    </section>
  `}function ni({id:e,version:t,onAction:s}){let{data:n,error:o}=L(c=>T(we({id:e}),{signal:c}),[e,t]);if(!n)return a`
      <${ke} text=${e} />
      <h1>Key</h1>
      <${C} error=${o} title="The key cannot be shown" />
      ${!o&&a`<${A} text="Loading the key" />`}
    `;let{budget:r,name:i,usage:l}=n,u=l?.days??[],d=c=>new URLSearchParams({[c]:i});return a`
    <${ke} text=${i} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${Au(n)}</h1>
        <p class="soft"><${Cs} entry=${n} />${l?.last_used?`, last used on ${l.last_used}`:l?", not used in 30 days":""}</p>
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
            <${Jt} budget=${r} spending=${l?.budget} />
            <p class="soft">${l?.budget&&at(l.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${lt(u).replace(/^.*?: /,"")}</p>
          <${Ms} days=${u} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${te} facts=${Ru(n)} class="key-facts" />
      </aside>
    </div>
  `}function Au({name:e,usage:t}){if(!t?.budget)return e;let{share:s}=at(t.budget);return s>=1?`${e} has used up its budget`:`${e} has spent ${Math.floor(100*s)} % of its budget`}function Ms({days:e}){let t=Math.max(1,...e.map(({requests:s})=>s));return a`
    <div class="day-bars" role="img" aria-label=${lt(e)}>
      ${e.map(({cost_usd:s,requests:n},o)=>a`
          <span key=${o} title=${`${$(n)} requests, ${w(s)}`}
            style=${{height:`${100*n/t}%`}}></span>
        `)}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${P(t,"request")} a day</span><span>today, UTC</span></div>
  `}function Ru(e){let{budget:t,created:s,expires:n,limits:o,models:r,note:i,owner:l,prefix:u,source:d,team:c}=e;return[["Team",c&&a`<a href=${Ts(c)}>${c}</a>`],["Owner",l],["Note",i],["Begins with",u&&a`<code>${u}…</code>`],["Models",r===null?"all":r.join(", ")],["Limits",je(o).join(", ")||"default"],["Budget",t===null?"none":re(t)],["Priority",e.priority],["Weight",e.weight],["Created",d==="config"?"in config.yaml":Ye(s)],["Expires",n===null?"never":Ye(n)]].filter(([,f])=>f!=null)}function oi({name:e,keys:t,error:s,onAction:n}){if(!t)return a`
      <${ke} text=${e} />
      <h1>Team</h1>
      <${C} error=${s} title="The team cannot be shown" />
      ${!s&&a`<${A} text="Loading the team" />`}
    `;let o=t.filter(({team:g})=>g===e),{active:r,budget:i,days:l,lastUsed:u,near:d,owners:c,spent:f}=Jr(o),p=new URLSearchParams({team:e}),m=[["Keys",$(r)],["Over 90 %",d>0&&P(d,"key")],["Budgets",i>0&&`${w(f)} of ${w(i)} spent`],["Owners",c.length>0&&c.join(", ")],["Last used",u??"not in 30 days"]].filter(([,g])=>g);return a`
    <${ke} text=${e} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${e}: ${P(r,"key")}${d>0?`, ${$(d)} over 90 % of ${d===1?"its budget":"their budgets"}`:""}</h1>
        <p class="soft">${lt(l)}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/usage?${p}`}>Usage</a>
      </div>
    </header>
    <div class="hand-over">
      <section class="card stack padded">
        <h2>The last 30 days</h2>
        <${Ms} days=${l} />
      </section>
      <aside class="card stack padded">
        <h2>Team</h2>
        <${te} facts=${m} class="key-facts" />
      </aside>
    </div>
    ${o.length===0?a`<div class="card empty">No key has this team.</div>`:a`<${Vt} keys=${o} onAction=${n} />`}
  `}function ii({route:e}){let{hasAdmin:t}=X();return a`
    <div class="view" data-view="keys">
      ${t?a`<${Nu} path=${e.path} query=${e.query} />`:a`
        <${ne} title="Keys" />
        <${pt} what="Managing keys needs an admin key." />
      `}
    </div>
  `}var Lu={edit:Kr,rotate:Wr,revoke:Gr};function Nu({path:[e,t],query:s}){let[n,o]=k(!1),[r,i]=k(null),[l,u]=k(0),d=L(g=>ft({revoked:n,usage:!0},g),[n,l]),c=()=>u(g=>g+1),f=(g,h)=>i({type:g,entry:h}),p=G(()=>Iu(d.data??[],"team"),[d.data]),m=r&&Lu[r.type];return a`
    ${e==="new"?a`<${ei} onCreated=${c} teams=${p} />`:t!==void 0?a`
        <${oi} name=${t} keys=${d.data} error=${d.error} onAction=${f} />
      `:e!==void 0?a`<${ni} id=${e} version=${l} onAction=${f} />`:a`
        <${Pu} ...${d} search=${s.get("search")??""} onAction=${f}
          onChanged=${c} showsRevoked=${n} onRevoked=${o} />
      `}
    ${r&&a`
      <${m} entry=${r.entry} onChanged=${c}
        onClose=${()=>i(null)} />
    `}
  `}function Iu(e,t){return[...new Set(e.map(s=>s[t]).filter(s=>s))].sort()}var ri=[["all","All",()=>!0],["near","Over 90 %",Xt],["unused","Not used in 30 d",({status:e,usage:t})=>e==="active"&&!t?.last_used]];function Pu(e){let{data:t,error:s,isLoading:n,showsRevoked:o,onRevoked:r,onAction:i,onChanged:l}=e,[u,d]=k(e.search),[c,f]=k("all"),[p,m]=k(()=>new Set),[g,h]=k(void 0),v=s?.code==="store_required",[,,b]=ri.find(([R])=>R===c),_=Bu(u),y=G(()=>(t??[]).filter(R=>b(R)&&Uu(R,_)),[t,c,_]),S=e.search.startsWith("sk-")&&u===e.search&&y.length===1?ut(y[0]):void 0;K(()=>S&&location.replace(S),[S]);let O=y.filter(({id:R})=>p.has(R)),I={ids:p,onToggle:R=>m(new Set(p.has(R)?[...p].filter(ie=>ie!==R):[...p,R])),onAll:R=>m(new Set(R?y.map(({id:ie})=>ie):[]))};return a`
    <${Du} keys=${t}>
      <label class="check">
        <input type="checkbox" aria-keyshortcuts="Alt+Shift+V" checked=${o}
          onChange=${R=>r(R.target.checked)} />
        Show revoked keys
      </label>
      ${v?null:a`
        <a class="button primary" aria-keyshortcuts="Alt+Shift+N" href="#/keys/new">
          <${$e} name="add" /> Create key
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
        <${me} label="Which keys" value=${c} onChange=${f}
          options=${ri.map(([R,ie,ct])=>[R,`${ie} ${$(t.filter(ct).length)}`])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${!1}
          placeholder="Name, team, owner, note, or a key" value=${u}
          onInput=${R=>d(R.target.value)} />
      </div>
      ${O.length>0&&a`
        <${Qr} keys=${O} onAction=${h} onClear=${()=>m(new Set)} />
      `}
      ${y.length===0?a`<div class="card empty" role="status">${Fu(t,_)}</div>`:a`
          <div class=${n?"stale":""}>
            <${Vt} keys=${y} marks=${I} onAction=${i} />
          </div>
        `}
    `}
    ${g&&a`
      <${zr} kind=${g} keys=${O} onChanged=${l}
        onClose=${()=>h(void 0)} />
    `}
  `}function Du({keys:e,children:t}){let{title:s,text:n,used:o}=e?Xr(e):{title:"Keys",text:""};return a`
    <header class="view-head">
      <div class="view-title">
        <h1>${s}</h1>
        <p class="soft">${o&&a`
          <a class="wrap-anywhere" href=${ut(o)}>${o.name}</a>:
        `}${n}</p>
      </div>
      <div class="view-tools">${t}</div>
    </header>
  `}function Fu(e,t){return t!==""?"No key has this text in its name, team, owner or note, or begins with it.":e.length===0?"No keys yet. Create one for each application or team.":"No key matches."}function Uu({name:e,note:t,owner:s,prefix:n,team:o},r){let i=r.toLowerCase();return[e,t,s,n,o].some(l=>l?.toLowerCase().includes(i))}function Bu(e){let t=e.trim();return t.startsWith("sk-")?t.slice(0,18):t}export{ai as keys,bn as overview,io as requests,Dr as savings,bo as sessions,Ro as status,Tr as usage};
