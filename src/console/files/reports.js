import{b as gt,f as tn}from"./shared3.js";import{B as Gs,H as se,I as G,J as Ze,K as Xs,L as Ye,M as U,N as Qt,P as zt,Q as Js,R as Vs,S as Zs,T as Ys,U as Qs,V as zs,W as ht,Z as en,a as W,b as Yt,c as _e,d as Bs,e as L,f as F,g as dt,h as te,i as ft,j as I,k as Re,l as pt,m as Xe,n as js,o as he,p as Hs,q as Je,r as ae,s as Ks,t as Ve,u as $t,v as Se,w as M,x as mt,y as Ws}from"./shared2.js";import{$ as Ds,A as Zt,D as T,E as Q,F as As,G as z,H as j,I as $e,J as ie,K as A,L as Rs,M as $,N as E,O as x,P as k,Q as Es,R as C,S as We,T as Ls,W as Ns,Y as Ge,_ as Is,a as we,aa as Ps,c as w,d as B,e as Ms,ea as H,f as P,g as K,ha as Me,i as a,ia as Fs,j as D,ja as Z,ka as me,la as ee,pa as Us,qa as qe,ra as ut,sa as xe,ta as ct,u as qs,v as O,wa as Ae,y as pe}from"./shared1.js";var hn={};we(hn,{default:()=>mn});function sn(e){let t=new Map;for(let s of e)for(let[n,o,r]of s){let[i,l]=t.get(n)??[0,0];t.set(n,[i+o,l+r])}return t}function nn({from:e,to:t},s,n){let o=Math.floor(s/n),r=o-288+1,i=Math.max(r,Math.floor(e/n)),l=Math.min(o,Math.ceil(t/n)-1);if(l<i)return{first:r,count:288,cellMs:n,isDay:!0,isNow:!0};let u=l-i+1;return{first:i,count:u,cellMs:n,isDay:u>=276,isNow:l===o}}function on(e,{cellMs:t,count:s,first:n}){return new Map([...e].filter(([o])=>{let r=o/t-n;return r>=0&&r<s}))}function es(e,{cellMs:t,count:s,first:n},o=1){let r=[],i=[];for(let l=0;l<s;l++){let[u,d]=e.get((n+l)*t)??[0,0];if(u===0&&i.push(`M${l} 95h1v5h-1z`),d===0)continue;let c=Math.min(1,d/u/o),f=Math.round(Math.max(12,100*c));r.push(`M${l} ${100-f}h.8v${f}h-.8z`)}return{failed:r.join(""),quiet:i.join("")}}function rn(e){let t=0;for(let[s,n]of e.values())t=Math.max(t,s===0?0:n/s);return[.02,.04,.1,.2,.5].find(s=>t<=s)??1}function ts(e,{cellMs:t,count:s,first:n}){let o=(e/t-n)/s;return o<0||o>1?void 0:100*o}var li=[5,15,30,60,180,360];function an({cellMs:e,count:t,first:s}){let[n,o]=[s*e,(s+t)*e],r=6e4*(li.find(l=>(o-n)/(l*6e4)<=5)??360),i=[];for(let l=Math.ceil(n/r)*r;l<=o;l+=r)i.push(l);return i}var ui=6,ci=36e5;function cn({health:e,period:t,rangeName:s}){let{cell_ms:n,changes:o,reading:r,since:i,targets:l}=e,u=Date.parse(e.at),d=nn(t,u,n),c=g=>on(sn(g.map(({cells:v})=>v)),d),f=c(l),p=d.isDay?"the last 24 hours":s,m=rn(f),b=Date.parse(i);return a`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, ${p}</h2>
        <span class="faint small">
          5 min a cell, this process${$i(b,u,r)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${ln}
          class="tall"
          label=${`All targets: ${un(f,p)}`}
          paths=${es(f,d,m)}
          count=${d.count}
          top=${m}
        >
          ${o.map(({kind:g,text:v,time:h},_)=>a`
              <${fi} key=${_} kind=${g} text=${`${v}, ${he(h,u)}`}
                at=${ts(Date.parse(h),d)} />
            `)}
        <//>
        <div class="strip-end"></div>
        ${di(l).map(({name:g,own:v,worst:h})=>{let _=c(v),y=dn(v.map(S=>S.recent));return a`
            <div class="strip-name" key=${g}>
              <a class="clip" href="#/status" title=${g}>${g}</a>
              <${Ae} state=${h.state} isShort=${!0} />
            </div>
            <${ln} key=${`${g} strip`} label=${`${g}: ${un(_,p)}`}
              paths=${es(_,d)} count=${d.count} />
            <div class="strip-end small" key=${`${g} now`}>${y.attempts===0?"no traffic":`${C(y.failures,y.attempts)} now`}</div>
          `})}
        <div class="strip-name"></div>
        <${pi} window=${d} end=${u} />
        <div class="strip-end"></div>
      </div>
    </section>
  `}function di(e){return[...new Set(Xe(e).map(({provider:s})=>s))].slice(0,ui).map(s=>{let n=e.filter(({provider:o})=>o===s);return{name:s,own:n,worst:Xe(n)[0]}})}function ln({children:e,class:t="",count:s,label:n,paths:{failed:o,quiet:r},top:i}){return a`
    <div class=${`strip ${t}`} role="img" aria-label=${n}>
      ${i!==void 0&&a`<span class="strip-top">${C(i,1)}</span>`}
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
      ${an(e).map(s=>{let n=ts(s,e);return n!==void 0&&n>3&&n<88&&a`
          <span key=${s} style=${{left:`${n}%`}}>${he(new Date(s).toISOString(),t).slice(-5)}</span>
        `})}
      ${e.isNow&&a`<span class="now">now</span>`}
    </div>
  `}function $i(e,t,s){return s?"; the ledger is still being read":t-e<23*ci?`, begins at ${he(new Date(e).toISOString(),t)}`:", from the ledger"}function un(e,t){let{attempts:s,failures:n}=dn([...e.values()].map(([o,r])=>({attempts:o,failures:r})));return`${n} of ${s} attempts failed, ${t}`}function dn(e){return e.reduce((t,{attempts:s,failures:n})=>({attempts:t.attempts+s,failures:t.failures+n}),{attempts:0,failures:0})}var mi=5e3,hi=6e4,pn=6e5,$n=5;function mn({route:e}){let{hasAdmin:t}=W();return t?a`<${gi} choice=${qe(e.query,"24h")} />`:a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${ft} what="The overview is about all keys: it needs an admin key." />
      </div>
    `}function fn(e,t,s=[]){let n=L(e,s);return _e(n.reload,t),n}function gi({choice:e}){let{data:t,error:s}=fn(m=>O("/v1/admin/health",{signal:m}),mi),n=H(),{range:o,from:r,to:i}=e,l=[o,r,i,n],{data:u}=fn(async m=>({...await vi(xe(e,D(),n),m),name:l.join()}),hi,l),d=u?.name===l.join()?u:void 0;if(t===void 0)return a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${s?a`<${T} error=${s} title="No health" />`:a`<${A} text="Reading the health of targets" />`}
      </div>
    `;let{text:c,title:f}=js(t),p=bi(ct(e,n));return a`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${f}</h1>
        <p class="soft">${c}</p>
      </header>
      <${yi} ...${{health:t,figures:d,rangeName:p}} />
      <${cn}
        ...${{health:t,rangeName:p}}
        period=${xe(e,Date.parse(t.at),n)}
      />
      <div class="two">
        <${ki} health=${t} />
        <${xi} ...${{choice:e,figures:d,rangeName:p}} />
      </div>
    </div>
  `}function bi(e){return e.startsWith("Last ")?`the l${e.slice(1)}`:e.replace("This","this")}async function vi({from:e,to:t,isOpen:s},n){let o=new Date(D()-pn).toISOString(),r={from:new Date(e).toISOString(),...!s&&{to:new Date(t).toISOString()}},i=c=>O(`/v1/admin/usage?${new URLSearchParams({...r,...c})}`,{signal:n}),[l,u,d]=await Promise.all([O(`/v1/admin/request_counts?${new URLSearchParams({from:o})}`,{signal:n}),i({group_by:"key,model",limit:"1000"}),i({})]);return{counts:l.data,keys:u.data,total:d.data[0]}}function yi({health:e,figures:t,rangeName:s}){let n=t?.counts.reduce((i,{requests:l,errors:u})=>({requests:i.requests+l,errors:i.errors+u}),{requests:0,errors:0}),o=e.targets.filter(({recent:i})=>i.attempts>0).toSorted((i,l)=>l.recent.attempts-i.recent.attempts)[0],r=n!==void 0&&n.requests>0&&n.errors/n.requests>=.05;return a`
    <dl class="overview-figures">
      <${bt}
        label="Requests per minute"
        value=${n&&We(n.requests/(pn/6e4))}
        note="mean of the last 10 min"
      />
      <${bt}
        label="Failed requests, last 10 min"
        value=${n&&C(n.errors,n.requests)}
        note=${n&&`${$(n.errors)} of ${$(n.requests)}`}
        isBad=${r}
        href="#/requests?range=15m&status=error"
      />
      <${bt}
        label="Time to first content"
        value=${o?.first_content_ms==null?"\u2013":x(o.first_content_ms)}
        note=${o?.first_content_ms==null?"no answer in the last 10 min":`${o.provider}, usually ${x(o.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${bt}
        label=${`Spent, ${s}`}
        value=${t&&k(t.total?.cost_usd??0)}
        note=${t&&`${$(t.total?.requests??0)} requests, ${H()}`}
        href="#/requests?range=24h&sort=cost_usd"
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
  `}function ki({health:e}){let t=Date.parse(e.at),s=Xe(e.targets);return a`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${Ps(e.thresholds)}>
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
              ${s.slice(0,$n).map(n=>{let{last_failure:o,provider:r,since:i,state:l,upstream:u}=n;return a`
                  <tr role="row" key=${`${r} ${u}`}>
                    <th scope="row" role="rowheader" title=${`${r} ${u}`}>
                      <span class="clip">${r}</span>
                      <span class="clip faint small">${u}</span>
                    </th>
                    <td role="cell">
                      <${Ae} state=${l} />
                    </td>
                    <td role="cell" title=${i}>${i===null?"\u2013":he(i,t)}</td>
                    <td role="cell" class="evidence">
                      ${o===null?Ge(n,t):a`
                        <a
                          href=${wi(o)}
                          title=${o.vendor_text??"The last request that failed"}
                        >${Ge(n,t)}</a>
                      `}
                    </td>
                  </tr>
                `})}
            </tbody>
          </table>
        `}
    </section>
  `}function wi({request:e,request_time:t}){return`#/requests/${encodeURIComponent(e)}?time=${encodeURIComponent(t)}`}function xi({choice:e,figures:t,rangeName:s}){let n=_i(t?.keys??[]),o=t?.total?.cost_usd??0,r=new URLSearchParams({by:"key",show:"cost"});return ut(r,e),a`
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
                    <td class="number" title=${`$${i}`}>${Es(i,n[0].cost)}</td>
                    <td class="number">${C(i,o)}</td>
                  </tr>
                `)}
            </tbody>
          </table>
        `}
    </section>
  `}function _i(e){let t=new Map;for(let{cost_usd:s,key:n,model:o}of e){if(!(s>0))continue;let r=t.get(n)??{key:n??"\u2013",cost:0,most:0,model:""};r.cost+=s,s>r.most&&Object.assign(r,{most:s,model:o??"\u2013"}),t.set(n,r)}return[...t.values()].toSorted((s,n)=>n.cost-s.cost).slice(0,$n)}var io={};we(io,{default:()=>ro});function gn(e){return e.map((t,s)=>s===0?t:t.slice(t.indexOf(`
`)+1)).join("")}function vt(e,t){Hs(e,t,"text/csv")}function yt(e){let{label:t,words:s,current:n,placeholder:o,offered:r,onAdd:i,onRemove:l,onType:u,clear:d}=e,[c,f]=w(""),[p,m]=w(""),b=P(null);B(()=>{f(""),m("")},[n]);let g=h=>{h.preventDefault();let _=i(c)??"";m(_),_===""&&f("")},v=h=>{let _=s.at(-1);h.key==="Backspace"&&c===""&&_!==void 0?l(_.filter):h.key==="Escape"&&b.current.blur()};return a`
    <form class="filter-bar" role="search" aria-label=${t} onSubmit=${g}>
      <div class="filter-line">
        <${pe} name="search" />
        ${s.map(h=>a`<${Si} key=${h.filter} word=${h} onRemove=${()=>l(h.filter)} />`)}
        <input
          ref=${b}
          aria-label="Add a filter"
          aria-keyshortcuts="Alt+Shift+F"
          aria-invalid=${p!==""?"true":void 0}
          aria-describedby="filter-fault"
          autocomplete="off"
          spellcheck=${!1}
          placeholder=${o}
          list="filter-words"
          value=${c}
          onInput=${({target:{value:h}})=>{f(h),u?.(h)}}
          onKeyDown=${v}
        />
        <datalist id="filter-words">
          ${r(c).map(h=>a`<option key=${h} value=${h} />`)}
        </datalist>
        ${d!==void 0&&a`<a class="button quiet" href=${d}>Clear</a>`}
      </div>
      <p class="fault" id="filter-fault" role="status">${p}</p>
      ${e.children}
    </form>
  `}function Si({word:{name:e,sign:t,value:s},onRemove:n}){let o=`${e}${t}${s}`;return a`
    <span class="chip">
      <span title=${o}>${e}<i>${t}</i><b>${s}</b></span>
      <button type="button" aria-label=${`Remove ${o}`} onClick=${n}>
        <${pe} name="close" size=${10} />
      </button>
    </span>
  `}function kt(e,t){let[,s,n]=/^(.*?)(\S*)$/s.exec(e);return t.filter(o=>o.startsWith(n)).map(o=>s+o)}function Ee(e){let[,t="",s=""]=/(?:^|\s)([a-z_]+):(\S*)$/.exec(e)??[];return{name:t,part:s}}var Oi=30*864e5,Ti=1e3;function Le(e){let[t,s]=w({}),n=P(new Set);return{load:async r=>{if(n.current.has(r))return;n.current.add(r);let l={from:new Date(Date.now()-Oi).toISOString(),group_by:r,limit:String(Ti)};try{let{data:u}=await O(F(e,"usage",l)),d=u.flatMap(c=>c[r]??[]);s(c=>({...c,[r]:d}))}catch{n.current.delete(r)}},of:r=>t[r]??[]}}var ge=new Map([["fallback","Fallback"],["retry","Retry"],["hedge","Hedge"],["cache","Cache"],["queued","Queued"],["sticky","Sticky"]]),Ci=new Map([["status","status"],["key","key"],["model","model"],["provider","provider"],["tag","tag"],["user","end_user"],["end_user","end_user"],["session","session"],["path","path"],["id","id"]]),Mi=new Map([["cost","min_cost_usd"],["ms","min_ms"],["duration","min_ms"]]),qi=new Set(["key","model","provider","tag","end_user"]),Ai=/^\d{1,15}(\.\d{1,9})?$/,Ri=new Map([["ms",1],["s",1e3],["min",6e4],["m",6e4],["h",36e5]]);function Ei(e,t="ms"){let[,s,n=t]=/^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(e.trim())??[];if(s!==void 0)return String(Math.round(Number(s)*Ri.get(n.toLowerCase())))}function bn(e,t,s){let n={...t};for(let[o]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let r=Li(n,o.replaceAll('"',""),s);if(r!==void 0)return{fault:r}}return{filters:n}}function Li(e,t,s){let n=/^([a-z_]+)>=?(.*)$/i.exec(t);if(n!==null)return Ni(e,n[1].toLowerCase(),n[2]);let[,o="",r=""]=/^([a-z_]+):(.*)$/i.exec(t)??[],i=Ci.get(o.toLowerCase());if(i===void 0&&/^failed$/i.test(t))e.status="error";else if(i===void 0)e.id=t;else{if(r==="")return`'${o}:' needs a value`;if(i==="status")return Ii(e,r.toLowerCase());if(i==="path")return Di(e,r.toLowerCase());e[i]=qi.has(i)?Pi(r,s(i)):r}}function Ni(e,t,s){let n=Mi.get(t);if(n===void 0)return`'${t}' has no amount: use cost>0.3 or ms>5000`;if(n==="min_cost_usd"){let r=s.replace(/^\$/,"");if(!Ai.test(r))return"A cost is a number: cost>0.25";e.min_cost_usd=r;return}let o=Ei(s,t==="ms"?"ms":"s");if(o===void 0)return"A duration is a number: ms>1500 or duration>1.5s";e.min_ms=o}function Ii(e,t){let s=t==="failed"?"error":t;if(!/^(ok|error|[1-5]\d\d)$/.test(s))return"A status is ok, error, or a number: status:429";e.status=s}function Di(e,t){if(!ge.has(t))return`A path is ${[...ge.keys()].join(", ")}`;e.path=t}function Pi(e,t){return e.includes("*")||t.includes(e)?e:/[:=]$/.test(e)?`${e}*`:`*${e}*`}function vn(e){return Je.filter(t=>e[t]!=="").map(t=>{let s=e[t];return t==="min_ms"?{filter:t,name:"ms",sign:">",value:s}:t==="min_cost_usd"?{filter:t,name:"cost",sign:">",value:s}:{filter:t,name:t==="end_user"?"user":t,sign:":",value:s}})}var Fi=["key","model","provider","tag","end_user"],Ui=["status:error","status:ok","status:429","cost>","ms>","session:"],Bi=200;function yn({filters:e,rows:t=[],session:s,opened:n,time:o}){let r=Le(s),i=f=>location.hash=M(f,n,o),l=Fi.filter(f=>f!=="key"||s.hasAdmin),u=f=>[...new Set([...Ki(t,f),...r.of(f)])],d=f=>{let p=bn(f,e,u);return p.fault===void 0&&i(p.filters),p.fault},c=M({...Se(e),sort:e.sort,order:e.order},n,o);return a`
    <${yt}
      label="Filter the requests"
      words=${vn(e)}
      current=${M(e,n,o)}
      placeholder="Add a filter: status:error, model:, tag:team:, cost>0.3, ms>5000, an ID"
      offered=${f=>Hi(f,l,u)}
      onAdd=${d}
      onRemove=${f=>i({...e,[f]:""})}
      onType=${f=>{let p=kn(Ee(f).name);l.includes(p)&&r.load(p)}}
      clear=${Ve(e)?c:void 0}
    >
      <${ji} filters=${e} onChange=${i} />
      <//>
  `}function kn(e){return e==="user"?"end_user":e}function ji({filters:e,onChange:t}){let s=[["status","error","Failed"],...[...ge].map(([n,o])=>["path",n,o])];return a`
    <div class="quick" role="group" aria-label="Usual filters">
      ${s.map(([n,o,r])=>{let i=e[n]===o;return a`
          <button type="button" key=${o} aria-pressed=${String(i)}
            onClick=${()=>t({...e,[n]:i?"":o})}>
            ${o==="error"&&a`<span class="st failed only" aria-hidden="true"></span>`}
            ${r}
          </button>
        `})}
    </div>
  `}function Hi(e,t,s){let{name:n,part:o}=Ee(e),r=kn(n);if(t.includes(r)){let i=s(r).filter(u=>u.includes(o)).sort(),l=e.slice(0,e.length-o.length);return i.slice(0,Bi).map(u=>l+(/\s/.test(u)?`"${u}"`:u))}return kt(e,[...Ui,...t.map(i=>`${i==="end_user"?"user":i}:`)])}function Ki(e,t){return e.flatMap(s=>t==="tag"?s.tags:s[t]??[])}var Oe=[{id:"searches",title:"Searches",text:$},{id:"images",title:"Images",text:$},{id:"characters",title:"Characters spoken",text:$},{id:"seconds",title:"Audio",text:Wi}];function wt(e){return Oe.filter(({id:t})=>e.some(s=>s?.[t]>0))}function Wi(e){if(e<60)return`${Math.round(10*e)/10} s`;let t=Math.round(e);return`${$(Math.floor(t/60))} min ${t%60} s`}var wn="abandoned";function ss({error:e,status:t}){return e!==wn&&((e??null)!==null||t>=400)}function Gi({attempts:e=[]}){return e.findLast(t=>t.error===null&&t.status<400)}function xn(e){let{attempts:t=[],error:s,queued_ms:n,response_cache:o,status:r}=e,i=n>0?`Waited ${x(n)} in the queue. `:"";if(o==="hit"&&t.length===0){let l=e.saved_usd>0?`, which saved ${k(e.saved_usd)}`:"";return`${i}Answered by the cache${l}.`}return r===499?`${i}The client stopped after ${x(e.ms)}.`:s!==null?i+Xi(e):i+Ji(e)}function Xi({attempts:e=[],error:t,status:s}){let n=`the client got ${s} ${t}`;if(e.length===0)return`No provider was asked: ${n}.`;let o=[...new Set(e.map(({provider:r})=>r))];return e.length===1?`${o[0]} failed with ${e[0].error??t}: ${n}.`:o.length===1?`All ${e.length} attempts at ${o[0]} failed: ${n}.`:`All ${e.length} attempts failed, at ${_n(o)}: ${n}.`}function Ji(e){let{attempts:t=[]}=e,s=Gi(e),n=s?.provider??e.provider??"The target",o=e.first_token_ms??e.ms;if(e.hedged&&s!==void 0){let u=t.find(d=>d!==s&&!ss(d))?.provider??"the first target";return s.hedge?`${u} was slow; the hedge at ${n} won after ${x(o)}.`:`${n} answered after ${x(o)}; the hedge at ${u} was not used.`}let r=t.filter(ss);if(r.length===0)return`Answered by ${n} after ${x(o)}.`;let i=[...new Set(r.map(l=>l.provider))];return i.every(l=>l===n)?`${n} answered after ${x(o)}, at attempt ${t.length}.`:`${_n(i)} failed (${r[0].error??r[0].status}); ${n} answered after ${x(o)}.`}function _n(e){return e.length===1?e[0]:`${e.slice(0,-1).join(", ")} and ${e.at(-1)}`}function Sn(e){let{attempts:t=[],first_token_ms:s,ms:n,queued_ms:o}=e,r=t.map(i=>({kind:i.hedge?"hedge":"attempt",tone:i.error===wn?"unused":ss(i)?"bad":"good",start:i.started_ms,length:i.ms,attempt:i})).toSorted((i,l)=>i.start-l.start);return o>0&&r.unshift({kind:"queue",tone:"wait",start:0,length:o}),s!=null&&n>s&&r.push({kind:"stream",tone:"stream",start:s,length:n-s}),r}var Vi=1e6,Zi=e=>Oe.find(({id:t})=>t===e)?.title??e,Yi=1e-9;function On(e){let{prices:t}=e;if(t==null)return[];let s=e.cached_input_tokens??0,n=e.cache_write_tokens??0,o=e.reasoning_tokens??0,r=(u,d,c)=>({name:u,amount:d,price:c,usd:d*c/Vi}),i=[r("Input",(e.input_tokens??0)-s-n,t.input),r("Input, cached",s,t.cachedInput??t.input),r("Input, written to the cache",n,t.cacheWrite??t.input),r("Output",(e.output_tokens??0)-o,t.output),r("Output, reasoning",o,t.output),...Object.entries(t.units??{}).map(([u,d])=>({name:Zi(u),amount:e[u]??0,price:d,unit:u,usd:(e[u]??0)*d}))].filter(({amount:u})=>u>0),l=(e.cost_usd??0)-i.reduce((u,{usd:d})=>u+d,0);return e.cost_usd!=null&&Math.abs(l)>Yi&&i.push({name:"Other attempts and rates",amount:null,price:null,usd:l}),i}function Tn(e){let t=new Map([["hit","stayed at its target"],["moved","moved to another target"],["new","began here"]]);return[["Alias",e.alias],["Why this target",e.route],["Session",t.get(e.affinity)??e.affinity],["Chosen by price",e.price_ordered&&zi(e.price_order_saved_usd)],["Waited in the queue",e.queued_ms>0&&x(e.queued_ms)],["Response cache",e.response_cache],["Saved",e.saved_usd>0&&k(e.saved_usd)],["Hedge",e.hedged&&`cost ${k(e.hedge_usd??0)}`],["Writing the cache",e.cache_write_usd>0&&k(e.cache_write_usd)],["Service tier",e.prices?.tier],["Prices of long prompts",e.prices?.long&&"yes"]].filter(([,s])=>s)}function Cn({attempts:e=[]}){return e.flatMap(({corrections:t=[],provider:s})=>t.map(({fields:n,sent_as:o})=>[o===null?"Left out":"Sent under another name",o===null?`${n.join(", ")}: ${s} refuses it`:`${n.join(", ")} as ${o} at ${s}`]))}function Mn(e,t){if(t===void 0||t.requests<Qi)return[];let s=[{name:"Queue",value:e.queued_ms??0},{name:"First content",value:e.first_token_ms??0,usual:t.first_token_p50_ms},{name:"All",value:e.ms,usual:t.p50_ms,most:t.p95_ms}].filter(({value:r})=>r>0),n=Math.max(...s.flatMap(({value:r,usual:i,most:l})=>[r,i??0,l??0])),o=r=>Math.round(1e3*r/n)/10;return s.map(r=>({...r,at:o(r.value),...r.usual!=null&&{band:[o(r.usual),o(r.most??r.usual)]}}))}var Qi=5;function qn(e){return e.filter(({usual:t})=>t!=null).map(({most:t,name:s,usual:n,value:o})=>{let r=s==="All"?"The whole request":"The first content",i=s==="All"?"took":"came after",l=o/n,u=t!==void 0&&o>t?"longer than 95 % of the requests":l>=1.1?`${l.toFixed(1)} times the usual ${x(n)}`:`usually ${x(n)}`;return`${r} ${i} ${x(o)}, ${u}.`}).join(" ")}function zi(e){return e>0?`saved ${k(e)}`:"yes"}function An({cost_usd:e,input_tokens:t,output_tokens:s,usage_source:n}){if(n===void 0||n==="none")return"";let o=e===null?"price unknown":k(e);return`${$(t)} + ${$(s)} tokens, ${o}`}var xt=499;function Ln({rows:e,filters:t,opened:s,showsKey:n,note:o,onSort:r}){let i={id:t.sort||"time",isRising:t.order==="asc"},l=({id:c,isRising:f})=>r(c==="time"&&!f?{sort:"",order:""}:{sort:c,order:f?"asc":""}),u=K(()=>ta(n),[n,H()]),d=e.find(({id:c})=>c===s);return a`
    <p class=${o===""?"only-read":"hint"} role="status">${o}</p>
    <${U}
      label="Requests"
      columns=${u}
      rows=${e}
      idOf=${Rn}
      hrefOf=${c=>M(t,c.id,c.time)}
      actionsOf=${c=>ea(c,t)}
      order=${i}
      onOrder=${l}
      current=${d&&Rn(d)}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>location.hash=M(t)}
    />
  `}function Rn({id:e,time:t}){return`${t} ${e}`}function ea(e,t){let s=(n,o)=>e[n]==null?[]:[{text:`All of this ${o}`,href:M({...Se(t),[n]:e[n]})}];return[{text:"Open",href:M(t,e.id,e.time)},{text:"Copy ID",copy:e.id},...s("model","model"),...s("provider","provider"),...s("key","key"),...s("session","session")]}function ta(e){return[{id:"time",title:"Time",card:"c",of:({time:t})=>t,cell:sa},{id:"status",title:"Status",card:"b",of:({status:t})=>t,cell:t=>a`<${Qe} row=${t} />`},ns("model","Model",{card:"a"}),ns("provider","Provider",{panel:"hide"}),...e?[ns("key","Key",{panel:"hide"})]:[],{id:"path",title:"Path",panel:"low",isRisingFirst:!0,of:({path:t})=>t[0],cell:na},{id:"ms",title:"Duration",isNumber:!0,panel:"low",of:({ms:t})=>t,text:x},{id:"first_token_ms",title:"First",hint:"Time to first content",isNumber:!0,panel:"hide",of:t=>t.first_token_ms,text:x},En("input_tokens","In"),En("output_tokens","Out"),{id:"attempt_count",title:"Attempts",isNumber:!0,panel:"hide",of:t=>t.attempt_count>1?t.attempt_count:void 0},{id:"cost_usd",title:"Cost",isNumber:!0,card:"d",of:t=>t.cost_usd,cell:oa}]}function En(e,t){return{id:e,title:t,hint:`${t==="In"?"Input":"Output"} tokens`,isNumber:!0,panel:"hide",of:s=>os(s)?s[e]:void 0,cell:s=>ra(s[e],os(s),s.usage_source==="estimated")}}function os({usage_source:e}){return e!=="none"}function sa(e){let t=e.path.map(s=>`, ${s}`).join("");return a`
    <span title=${`${G(e.time)}, ${e.id}`}>${se(e.time)}</span>
    <span class="phone-only">, ${x(e.ms)}${t}</span>
  `}function ns(e,t,s){return{id:e,title:t,isRisingFirst:!0,of:n=>n[e],...s,text:n=>a`<${ie} text=${n} />`}}function na({path:e}){return e.map(t=>a`<span key=${t} class="badge">${ge.get(t)}</span>`)}function oa(e){return e.cost_usd==null?os(e)?a`<span class="faint">unknown</span>`:"\u2013":a`<span title=${`$${e.cost_usd}`}>${k(e.cost_usd)}</span>`}function Qe({row:e,isLong:t=!1}){let{error:s,status:n}=e,o=n!==xt&&(n>=400||s!=null),r=n===xt?"stopped":o?"failed":"ok",i=n===xt?"Stopped by the client":s??void 0;return a`
    <span class=${`st ${r}`} title=${i}>${n}</span>
    ${t&&n===xt&&a`<span class="soft small"> stopped by the client</span>`}
    ${t&&o&&s&&a`<span class="error-code small"> ${s}</span>`}
  `}function ra(e,t,s){return t?s?a`<span title="Estimated: the vendor reported no usage">≈ ${$(e)}</span>`:$(e):"\u2013"}var Nn=.8,ia=.1;function In({row:e}){let t=Sn(e),s=Math.max(ia,e.ms,...t.map(({start:o,length:r})=>o+r)),n=t.filter(({attempt:o})=>o!==void 0);return a`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${t.map((o,r)=>o.attempt===void 0?a`
              <${rs}
                key=${o.kind}
                title=${o.kind==="queue"?"Waited in the queue":"Stream, from the first content"}
                text=${Dn(o)}
                start=${o.start}
                length=${o.length}
                total=${s}
                tone=${o.tone}
              />
            `:a`
              <${aa} key=${r} lane=${o} number=${n.indexOf(o)+1}
                total=${s} />
            `)}
        <${rs}
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
        <p class="hint">No provider was asked.</p>
      `}
    </section>
  `}function aa({lane:e,number:t,total:s}){let{attempt:n,kind:o,length:r,start:i,tone:l}=e,{provider:u,model:d,status:c,error:f,vendor_text:p}=n,m=An(n);return a`
    <${rs}
      title=${a`
        ${t}. <span class="mono wrap-anywhere">${d}</span>
        <span class="soft"> at </span><span class="mono">${u}</span>
        ${o==="hedge"&&a`<span class="soft">, the hedge</span>`}
      `}
      text=${Dn(e)}
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
        ${ca(n).map(b=>a`<span key=${b} class="soft wrap-anywhere">${b}</span>`)}
        ${m!==""&&a`<span class="faint">${m}</span>`}
      </p>
      ${p&&a`<blockquote class="vendor-words wrap-anywhere">${p}</blockquote>`}
      <//>
  `}function Dn({length:e,start:t}){return t<1?x(e):`${x(e)}, after ${x(t)}`}var la=new Map([["other_key","then with another key"],["retry","then again"],["resent","then sent again on a new connection"],["next_target","then the next target"],["continued","then continued by another target"]]),ua=new Map([["wait_too_long","not again: the wait is too long"],["deadline","not again: the deadline is too near"],["breaker_open","not again: its breaker is open"]]);function ca({cause:e,corrections:t=[],next:s,reason:n,wait_ms:o}){let r=s==="retry"&&o!==null;return[e,...t.map(({fields:i,sent_as:l})=>l===null?`sent again without ${i.join(", ")}`:`sent again with ${i.join(", ")} as ${l}`),n&&(ua.get(n)??n),o!=null&&!r&&`asked to wait ${x(o)}`,r?`then again after ${x(o)}`:la.get(s)].filter(i=>i)}function rs({title:e,text:t,start:s,length:n,total:o,tone:r,mark:i,children:l}){let u=c=>`${(100*c/o).toFixed(2)}%`,d=Math.max(Nn,100*n/o);return a`
    <li>
      <div class="row spread"><span>${e}</span><span class="soft small">${t}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${r}`}
          style=${{left:u(Math.min(s,o*(1-Nn/100))),width:`${d.toFixed(2)}%`}}
        ></span>
        ${i!=null&&a`<span class="mark" style=${{left:u(i)}}></span>`}
      </div>
      ${l}
    </li>
  `}function Un({id:e,time:t,session:s,filters:n,rows:o=[]}){let r=o.findIndex(f=>f.id===e&&(t===null||f.time===t)),i=t===null?{}:{time:t},l=F(s,`requests/${encodeURIComponent(e)}`,i),{data:u,error:d}=L(f=>O(l,{signal:f}),[l]),c=P(null);return B(()=>c.current.focus(),[]),a`
    <section class="details card" aria-label="Request">
      <header>
        <h2 ref=${c} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${Pn} row=${o[r-1]} filters=${n} icon="up" keys="K"
            label="Newer request" />
          <${Pn} row=${r<0?void 0:o[r+1]} filters=${n} icon="down"
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
          <${z} text=${e} label="Copy ID" />
        </p>
        <${T} error=${d} title="The request cannot be shown" />
        ${!u&&!d&&a`<${A} />`}
        ${u&&a`
          <p class="said">${xn(u)}</p>
          <${da} row=${u} filters=${n} />
          <${In} row=${u} />
          <${ma} row=${u} session=${s} />
          <${fa} row=${u} />
          <${_t} title="Route" facts=${Tn(u)} />
          <${_t} title="Client" facts=${ba(u,n)} />
          <${_t} title="Corrections" facts=${Cn(u)} />
          <${_t} title="Request" facts=${va(u,n)} />
          <p class="hint">The receipt of ignored, converted and added parameters is in the headers
            <code>x-sluice-ignored</code>, <code>x-sluice-converted</code> and${" "}
            <code>x-sluice-added</code> of the answer; the ledger does not store it.</p>
          ${s.hasService&&u.model!==null&&ga(u)&&a`
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
      ${e.path.map(s=>a`<a key=${s} class="badge" href=${M({...Se(t),path:s})}>${ge.get(s)}</a>`)}
    </p>
  `}function fa({row:e}){let t=On(e);return t.length===0?null:a`
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
                <td class="number">${s===null?"\u2013":pa(s,r)}</td>
                <td class="number">
                  ${o===null?"\u2013":r===void 0?`${Ls(o)} per M`:Gs(r,o)}
                </td>
                <td class="number" title=${`$${i}`}>${k(i)}</td>
              </tr>
            `)}
          <tr>
            <th scope="row">Total</th>
            <td></td>
            <td></td>
            <td class="number"><strong>${e.cost_usd==null?"unknown":k(e.cost_usd)}</strong></td>
          </tr>
        </tbody>
        <//>
        </section>
  `}function pa(e,t){return Oe.find(({id:s})=>s===t)?.text(e)??$(e)}function _t({title:e,facts:t}){if(t.length===0)return null;let s=`${e.toLowerCase()}-title`;return a`
    <section class="stack" aria-labelledby=${s}>
      <h3 id=${s}>${e}</h3>
      <${Q} class="request-facts" facts=${t} />
    </section>
  `}var $a=864e5;function ma({row:e,session:t}){let s=Date.parse(e.time),[n,o]=[s-$a,s].map(u=>new Date(u).toISOString()),r=e.model===null?void 0:F(t,"usage",{from:n,to:o,model:e.model}),{data:i}=L(async u=>r===void 0?void 0:await O(r,{signal:u}),[r]),l=i?Mn(e,i.data[0]):[];return l.length===0?null:a`
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
      <p class="soft small">${qn(l)}</p>
    </section>
  `}function Pn({row:e,filters:t,icon:s,keys:n,label:o}){return e===void 0?null:a`
    <a class="button quiet icon" href=${M(t,e.id,e.time)} aria-label=${o}
      title=${o} aria-keyshortcuts=${`Alt+Shift+${n}`}>
      <${pe} name=${s} />
    </a>
  `}var ha=new Set(["chat_completions","completions","messages","responses","gemini","ollama"]);function ga({format:e}){return ha.has(e)}function Bn(e){return(t,s)=>s&&a`<${ya} key=${s} name=${t} value=${s} filters=${e} />`}function ba(e,t){let s=Bn(t);return[["Key",s("key",e.key)],["Team",e.team],["Owner",e.owner],["Agent",e.agent],["Started by agent",e.parent_agent],["API",e.format],["Session",s("session",e.session)],["End user",s("end_user",e.end_user)],["Tags",e.tags?.length>0&&e.tags.map(n=>s("tag",n))]].filter(([,n])=>n)}function va(e,t){let s=e.usage_source!=="none",n=Bn(t);return[["Ended",G(e.time)],["Status",a`<${Qe} isLong=${!0} row=${e} />`],["Model",n("model",e.model)??a`<${pt} value=${null} />`],["Provider",e.provider?n("provider",e.provider):"none"],["Upstream",e.upstream&&a`<code class="wrap-anywhere">${e.upstream}</code>`],["Input",s&&Fn(e.input_tokens,[["cached",e.cached_input_tokens],["written to the cache",e.cache_write_tokens]])],["Output",s&&Fn(e.output_tokens,[["reasoning",e.reasoning_tokens]])],...wt([e]).map(({id:o,title:r,text:i})=>[r,i(e[o])]),["Usage",ka.get(e.usage_source)??e.usage_source],["Cost",s&&a`<${pt} value=${e.cost_usd} format=${k} />`],["Attempts",e.attempt_count],["First token",e.first_token_ms!=null&&x(e.first_token_ms)],["Duration",x(e.ms)]].filter(([,o])=>o)}function ya({name:e,value:t,filters:s}){if(t===null)return a`<${pt} value=${t} />`;let n=M({...Se(s),[e]:t});return a`
    <a class="mono wrap-anywhere" href=${n} title="All requests with this value">${t}</a>
  `}var ka=new Map([["vendor","reported by the vendor"],["estimated","estimated, since the vendor reported none"],["none","none"]]);function Fn(e,t){let s=t.filter(([,n])=>n>0).map(([n,o])=>`${$(o)} ${n}`);return`${$(e)} tokens${s.length>0?` (${s.join(", ")})`:""}`}function Ne(e){let[t,s]=w(0);return Ms(()=>{s(Math.floor(e.current.clientWidth));let n=new ResizeObserver(([o])=>s(Math.floor(o.contentRect.width)));return n.observe(e.current),()=>n.disconnect()},[]),t}function jn(e){let[{from:t,to:s,step_seconds:n}]=e,o=n*1e3,r=Date.parse(t),i=[];for(let l=r;l<Date.parse(s);l+=o)i.push({start:l,end:l+o,requests:0,errors:0});for(let{start:l,requests:u,errors:d}of e.flatMap(({data:c})=>c)){let c=i[Math.round((Date.parse(l)-r)/o)];c!==void 0&&(c.requests+=u,c.errors+=d)}return i}function Hn(e,t){if(e===null||t.length===0)return null;let[{start:s,end:n}]=t;if(e.step!==n-s)return null;let o=Math.round((s-e.first)/e.step),[r,i]=ze(e),l=t.length-1;if(i-o<0||r-o>l)return null;let u=d=>Math.min(l,Math.max(0,d-o));return{anchor:u(e.anchor),focus:u(e.focus)}}function ze({anchor:e,focus:t}){return[Math.min(e,t),Math.max(e,t)]}function Kn(e,{key:t,shiftKey:s},n){let o=n-1,r=e?.focus??(t==="ArrowRight"?-1:n),i={ArrowLeft:Math.max(0,r-1),ArrowRight:Math.min(o,r+1),PageUp:Math.max(0,r-10),PageDown:Math.min(o,r+10),Home:0,End:o};if(!Object.hasOwn(i,t)||o<0)return;let l=i[t];return{anchor:s&&e!==null?e.anchor:l,focus:l}}function Wn({from:e,to:t},s){let n=t-e,o=Math.min(t+n,s);return{from:o-3*n,to:o}}function Gn(e){if(e<2)return[1,0];let t=10**Math.floor(Math.log10(e)),s=[1,2,4,6,8,10].map(n=>n*t).find(n=>n>=e);return[s,s/2,0]}function Xn({requests:e,errors:t},s,n){if(e===0||s===0)return{others:0,errors:0};let o=Math.max(2,e/s*n),r=t===0?0:Math.min(o,Math.max(2,t/s*n));return{others:o-r,errors:r}}var Ie=64,wa=366*864e5;function Vn({intervals:e,isComplete:t,isCustom:s,onZoom:n}){let[o,r]=w(null),i=Hn(o,e),[{start:l,end:u}]=e,d=v=>r(v&&{...v,first:l,step:u-l}),c=i===null?e:_a(e,i),f={from:l,to:e.at(-1).end},p=v=>{let[h,_]=ze(v);d(null),n(e[h].start,e[_].end)},m=()=>{let{from:v,to:h}=Wn(f,D());n(v,h)},b=Gn(e.reduce((v,{requests:h})=>Math.max(v,h),0)),g=s&&f.to-f.from<wa/3;return a`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${Sa(c,i===null,t)}</b> <span class="faint small">${Xs(e[0].end-l)} a bar; drag, or use Shift and arrow
          keys, to select a period</span></span>
        <span class="row">
          ${i!==null&&a`
            <button type="button" class="small" onClick=${()=>p(i)}>
              Show only this
            </button>
          `}
          ${g&&a`
            <button type="button" class="small quiet" onClick=${m}>Zoom out</button>
          `}
        </span>
      </figcaption>
      <div class="histogram-plot">
        <div class="histogram-axis" aria-hidden="true">
        ${b.map(v=>a`<span key=${v}>${E(v)}</span>`)}
      </div>
        <${xa}
          axis=${b}
          intervals=${e}
          selection=${i}
          onSelect=${d}
          onZoom=${p}
          onWiden=${g?m:void 0}
        />
        <div class="histogram-times row spread small faint" aria-hidden="true">
          <span>${Ze(f.from)}</span>
          <span>${Ze(f.to)}</span>
        </div>
      </div>
    </figure>
  `}function xa({axis:e,intervals:t,selection:s,onSelect:n,onZoom:o,onWiden:r}){let i=P(null),l=Ne(i),u=P(null),d=l/t.length,[c]=e,[f,p]=s===null?[-1,-2]:ze(s),m=y=>{let S=y.clientX-i.current.getBoundingClientRect().left;return Math.min(t.length-1,Math.max(0,Math.floor(S/d)))};return a`
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
      onKeyDown=${y=>{if(y.ctrlKey||y.metaKey||y.altKey)return;let S=Kn(s,y,t.length);if(S!==void 0)n(S);else if(y.key==="Enter"&&s!==null)o(s);else if(y.key==="Escape"&&s!==null)n(null);else if(y.key==="-"&&r!==void 0)r();else return;y.preventDefault(),y.stopPropagation()}}
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
        <path class="volume" d=${Jn(t,c,d,!1)} />
        <path class="errors" d=${Jn(t,c,d,!0)} />
      </svg>
    </div>
  `}function Jn(e,t,s,n){let o=Math.max(1,s-1);return e.map((r,i)=>{let{errors:l,others:u}=Xn(r,t,Ie),d=n?l:u;if(d===0)return"";let c=Ie-l-(n?0:u);return`M${(i*s).toFixed(1)} ${c.toFixed(1)}h${o.toFixed(1)}v${d.toFixed(1)}h${(-o).toFixed(1)}z`}).join("")}function _a(e,t){let[s,n]=ze(t);return e.slice(s,n+1)}function Sa(e,t,s){let n=c=>e.reduce((f,p)=>f+p[c],0),[o,r]=[n("requests"),n("errors")],i=o===1?"request":"requests",l=[`${s?"":"\u2265 "}${$(o)} ${i}`,`${$(r)} failed`];if(t)return l.join(", ");let[u,d]=[e[0].start,e.at(-1).end];return`${l.join(", ")} from ${Ze(u)} to ${Ze(d)}`}var De={rows:void 0,next:null,error:void 0,isLoading:!0,isLoadingMore:!1,isSorting:!1,moreError:void 0};function is({data:e,next:t}){return{...De,isLoading:!1,rows:e,next:t}}function as(e,{data:t,next:s}){let n=[...e.rows,...t];return{...e,isLoadingMore:!1,rows:n,next:s}}function Qn(e,t){if(e.rows===void 0)return e;let s=new Set(e.rows.map(Yn)),n=t.data.filter(i=>!s.has(Yn(i)));if(n.length===0)return e.moreError?{...e,moreError:void 0}:e;if(n.length===t.data.length&&t.has_more||e.rows.length+n.length>500)return is(t);let r=[...n,...e.rows].sort((i,l)=>i.time<l.time?1:i.time>l.time?-1:0);return{...e,rows:r,moreError:void 0}}function zn(e,{data:t,next:s},{sort:n,order:o},r){let i=o==="asc"?1:-1,l=(d,c)=>{let[f,p]=[Zn(d,n),Zn(c,n)];return f===p?0:i*(f<p?-1:1)},u=[...e.rows??[],...t].sort(l).slice(0,r);return{...De,isLoading:!1,isSorting:s!==null,rows:u}}var Oa=["cache","hedge","fallback","retry","queued","sticky"];function Zn(e,t){if(t==="path")return Oa.indexOf(e.path[0]);let s=e[t];return typeof s=="string"?s.replace(/[A-Z]+/g,n=>n.toLowerCase()):s}function Yn({id:e,time:t}){return`${t} ${e}`}var St=50,et=200,Ta=2e3,Ca=1e4,Ma=30,qa=30,eo=50,to=1e3,Ot=eo*to;function so(e,t,s){let[n,o]=w(0),[r,i]=w(De),l=`${M(t)} ${H()}`,u=[e.hasAdmin,l,n],d=Bs(u),c=P(void 0);B(()=>{let g=new AbortController;c.current=mt(t,D(),H()),c.current.set("limit",String(St)),i(_=>({..._,isLoading:!0}));let{signal:v}=g;return(t.sort===""?Aa(e,c.current,v,i):Ra(e,t,c.current,v,i)).then(_=>v.aborted||i(_),_=>v.aborted||i(({rows:y})=>({...De,..._.isPassing&&{rows:y},isLoading:!1,error:_}))),()=>g.abort()},u);let f=P(new AbortController);B(()=>{let g=new AbortController;return f.current=g,()=>g.abort()},[...u,s]),_e(async()=>{let{signal:g}=f.current;try{let v=await tt(e,c.current,void 0,g);g.aborted||i(h=>Qn(h,v))}catch(v){g.aborted||i(h=>({...h,moreError:v}))}},Ta,s);let m=async()=>{let g=c.current;i(v=>({...v,isLoadingMore:!0,moreError:void 0}));try{let v=0,{next:h}=r;for(;v<St&&h!==null&&c.current===g;){let _=await tt(e,g,h);if(c.current!==g)return;v+=_.data.length,{next:h}=_;let y=v>=St||h===null;i(S=>({...as(S,_),isLoadingMore:!y}))}}catch(v){if(c.current!==g)return;i(h=>({...h,isLoadingMore:!1,moreError:v}))}},b=()=>o(g=>g+1);return Yt(r.error,b),{...r,isLoading:r.isLoading||d,loadMore:m,reload:b}}async function Aa(e,t,s,n){let o=is(await tt(e,t,void 0,s));for(;o.rows.length<St&&o.next!==null&&!s.aborted;)n({...o,isLoadingMore:!0}),o=as(o,await tt(e,t,o.next,s));return o}async function Ra(e,t,s,n,o){let r=new URLSearchParams(s);r.set("limit",String(et)),r.set("sort",t.sort),t.order!==""&&r.set("order",t.order);let i=De,l;for(let u=0;l!==null&&u<qa;u++){let d=await tt(e,r,l,n);i=zn(i,d,t,et),n.aborted||o(i),l=d.next}return i}function tt(e,t,s,n){let o=new URLSearchParams(t);return s!==void 0&&o.set("before",s),O(F(e,"requests",o),n&&{signal:n})}function no(e,t,s){let[n,o]=w({pages:void 0,isComplete:!1,error:void 0}),[r,i]=w(0),l=`${M(t)} ${H()}`;B(()=>{let d=new AbortController,{signal:c}=d;return(async()=>{let p=D(),m=mt(t,p,H());m.has("to")||m.set("to",new Date(p).toISOString());let b=[];for(let g="";g!==null&&b.length<Ma;){g!==""&&m.set("before",g);let v=await O(F(e,"request_counts",m),{signal:c});if(c.aborted)return;b.push(v),{next:g}=v,o({pages:[...b],isComplete:g===null,error:void 0})}})().catch(p=>c.aborted||o({pages:void 0,isComplete:!1,error:p})),()=>d.abort()},[e.hasAdmin,l,r]);let u=()=>i(d=>d+1);return _e(u,Ca,s),Yt(n.error,u),{...n,recount:u}}async function oo(e,t){let s=mt(t,D(),H());s.set("format","csv"),s.set("limit",String(to));let n=[],o;do{o&&s.set("before",o);let r=await qs(F(e,"requests",s));n.push(await r.text()),o=r.headers.get("x-sluice-next")}while(o!==null&&n.length<eo);return{text:gn(n),hasMore:o!==null}}function ro({route:e}){let t=W(),s=Ks(e.query),n=e.path[0],o=e.query.get("time"),{isOpen:r}=Ws(s,D(),H()),i=s.range==="custom",[l,u]=w(!1),d=r&&s.sort==="",c=l&&d,f=so(t,s,c),p=no(t,s,c),m=g=>location.hash=M(g,n,o),b=()=>{f.reload(),p.recount()};return a`
    <div class="view wide-view" data-view="requests">
      <${te}
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
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${b}
          disabled=${f.isLoading}>Refresh</button>
        <${Ia} session=${t} filters=${s} counts=${p} />
      <//>
      <${yn}
        filters=${s}
        rows=${f.rows}
        session=${t}
        opened=${n}
        time=${o}
      />
      ${p.pages&&a`
        <${Vn}
          intervals=${jn(p.pages)}
          isComplete=${p.isComplete}
          isCustom=${i}
          onZoom=${(g,v)=>m($t(s,g,v))}
        />
      `}
      <div class=${`list-and-details ${n?"has-details":""}`}>
        <div class="list stack">
          <${T} error=${f.error} title="The requests cannot be listed" />
          <${Ea}
            list=${f}
            filters=${s}
            opened=${n}
            session=${t}
            onSort=${g=>m({...s,...g})}
          />
        </div>
        ${n&&a`
          <${Un}
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
  `}function Ea({list:e,filters:t,opened:s,session:n,onSort:o}){let{rows:r,error:i,moreError:l,isLoading:u,isLoadingMore:d,isSorting:c,next:f,loadMore:p}=e;return r===void 0?i?null:a`<${A} text="Loading the requests" />`:r.length===0&&f===null&&!c&&!u?a`<${Na} filters=${t} />`:a`
    <div class=${`stack ${u?"stale":""}`}>
      <${Ln} rows=${r} filters=${t} opened=${s} onSort=${o}
        showsKey=${n.hasAdmin} note=${u?"":La(t,e)} />
    </div>
    <${T} error=${l} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${r.length} shown${d?", searching older requests":""}</span>
      ${f!==null&&a`
        <button type="button" aria-keyshortcuts="Alt+Shift+M" onClick=${p}
          disabled=${d}>
          ${d?"Loading":Ve(t)?"Search older requests":"Load more"}
        </button>
      `}
    </div>
  `}function La({sort:e},{rows:t,isSorting:s}){if(e==="")return"";if(s)return"Sorting: older requests are still being read.";let n=["cost_usd","first_token_ms","path","model","provider"].includes(e)?" Requests without this value are left out.":"";return t.length<et?`All requests of this time and these filters.${n}`:`The first ${et} in this order, of all requests of this time and these filters.${n}`}function Na({filters:e}){let t={...e,range:"90d",from:"",to:""};return a`
    <div class="card empty stack">
      <p>
        ${Ve(e)?"No request matches these filters in this time.":"No requests in this time. They appear here as soon as they end."}
      </p>
      ${e.range!=="90d"&&a`
        <p><a class="button" href=${M(t)}>Show the last 90 days</a></p>
      `}
    </div>
  `}function Ia({session:e,filters:t,counts:{isComplete:s,pages:n=[]}}){let[o,r]=w({}),i=async()=>{r({isLoading:!0});try{let{text:c,hasMore:f}=await oo(e,t);vt("requests.csv",c);let p=f&&new Error("The file has only the newest: choose a shorter time");r({error:p})}catch(c){r({error:c})}},l=n.flatMap(({data:c})=>c).reduce((c,{requests:f})=>c+f,0),u=l>Ot,d=u?`newest ${$(Ot)} rows`:`${$(l)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${i}
      disabled=${o.isLoading}
      title=${`Download CSV: at most the newest ${$(Ot)} requests`}
    >${s||u?`CSV, ${d}`:"CSV"}</button>
    <${T} error=${o.error} title="Download" />
  `}var go={};we(go,{default:()=>mo});async function Pe(e){let t=[],s=null;do{let n={limit:String(5e3),...s!==null&&{after:s}},o=await e(n);t.push(o.part),s=o.next??null}while(s!==null&&t.length<20);return{parts:t,hasMore:s!==null}}function ao(e){let t=null;return e.toReversed().map((s,n)=>{let o=t!==null&&s.provider!==null&&s.provider!==t;return s.provider!==null&&({provider:t}=s),{...s,number:n+1,hasMoved:o}})}function lo(e){let t=u=>e.reduce((d,c)=>d+(c[u]??0),0),s=e.filter(({hasMoved:u})=>u).length,n=e.at(-1),o=Date.parse(n.time)-Date.parse(e[0].time)+e[0].ms,r=s===0?"never moved":s===1?"moved once":`moved ${s} times`,i=t("input_tokens"),l=e.length===1?"request":"requests";return{title:`${$(e.length)} ${l} in ${Ds(o)}; ${r}, ${Da(e)}`,text:i===0?"No input tokens are known.":`${C(t("cached_input_tokens"),i)} of ${$(i)} input tokens came from the prompt cache.`}}function Da(e){let t=e.filter(o=>o.cost_usd!=null);if(t.length===0)return"cost unknown";let s=t.reduce((o,r)=>o+r.cost_usd,0);return`${e.some(o=>o.cost_usd==null&&o.usage_source!=="none")?"\u2265 ":""}${k(s)}`}var Tt=["key","team","owner","model","provider"],Ct=new Map([["cost","cost_usd"],["moves","affinity_moves"],["requests","requests"],["failed","errors"]]),Mt=["id",...Tt,...Ct.keys()],ls=[...Tt.map(e=>`${e}:`),"cost>1","moves>0","failed>0"];function uo(e){return{...Object.fromEntries(Mt.map(t=>[t,e.get(t)??""])),...qe(e)}}function le(e,t){let s=new URLSearchParams;for(let o of[...Mt,...Us]){let r=o==="range"&&e.range==="custom";e[o]&&!r&&s.set(o,e[o])}return`${t===void 0?"#/sessions":`#/sessions/${encodeURIComponent(t)}`}?${s}`}function co(e){return{...e,...Object.fromEntries(Mt.map(t=>[t,""]))}}function qt(e){return Mt.filter(t=>e[t]!=="").map(t=>({filter:t,name:t,value:e[t],sign:Ct.has(t)?">":":"}))}function fo(e,t){let s={...t};for(let[n]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let o=n.replaceAll('"',""),[,r="",i="",l=""]=/^([a-z]+)([:>])(.*)$/i.exec(o)??[];if(i===">"&&Ct.has(r)){if(!/^\d{1,9}(\.\d{1,9})?$/.test(l))return{fault:`'${r}>' needs a number`};s[r]=l}else if(i===":"&&Tt.includes(r)){if(l==="")return{fault:`'${r}:' needs a value`};s[r]=l}else s.id=i===":"&&r==="id"?l:o}return{filters:s}}function po(e){return Object.fromEntries(Tt.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function $o(e,t){let s=new Map;for(let r of e){if(r.session===null)continue;let i=s.get(r.session)??{session:r.session,last:""};for(let[l,u]of Object.entries(r))typeof u=="number"&&(i[l]=(i[l]??0)+u);r.hour>i.last&&(i.last=r.hour),s.set(r.session,i)}let n=t.id.toLowerCase(),o=[...Ct].filter(([r])=>t[r]!=="");return[...s.values()].filter(r=>r.session.toLowerCase().includes(n)&&o.every(([i,l])=>(r[l]??0)>Number(t[i])))}var Pa=200,Fa=5;function mo({route:e}){let t=W(),s=e.path[0],n=H(),o=uo(e.query),r=po(o),i=[t.hasAdmin,o.range,o.from,o.to,n],l=K(()=>Ua(o,n),i),{data:u,error:d,isLoading:c}=L(f=>Ba(t,{...l,...r},f),[...i,JSON.stringify(r)]);return a`
    <div class="view" data-view="sessions">
      <${te}
        title="Sessions"
        note="Requests that clients have put together by a session ID, such as those of one agent."
      />
      <${ja} filters=${o} session=${t} opened=${s} />
      <${T} error=${d} title="The sessions cannot be listed" />
      ${u===void 0&&!d&&a`<${A} text="Loading the sessions" />`}
      <div class=${`list-and-details ${s===void 0?"":"has-details"}`}>
        ${u!==void 0&&a`
          <div class=${`list stack ${c?"stale":""}`}>
            <${Xa} data=${u} filters=${o} opened=${s} />
          </div>
        `}
        ${s!==void 0&&a`
          <${Va} key=${s} id=${s} session=${t} times=${l}
            filters=${o} />
        `}
      </div>
    </div>
  `}function Ua(e,t){let{from:s,isOpen:n,to:o}=xe(e,D(),t),r=i=>new Date(i).toISOString();return{from:r(s),...!n&&{to:r(o)}}}async function Ba(e,t,s){let{parts:n,hasMore:o}=await Pe(async r=>{let i=F(e,"usage",{...t,group_by:"session,hour",...r}),{data:l,next:u}=await O(i,{signal:s});return{part:l,next:u}});return{entries:n.flat(),hasMore:o}}function ja({filters:e,session:t,opened:s}){let n=Le(t),o=i=>location.hash=le(i,s),r=t.hasAdmin?ls:ls.filter(i=>!Ha.test(i));return a`
    <${yt}
      label="Filter the sessions"
      words=${qt(e)}
      current=${le(e,s)}
      placeholder="Add a filter: key:, model:, provider:, cost>1, moves>0, a part of an ID"
      offered=${i=>{let{name:l}=Ee(i);return kt(i,[...r,...n.of(l).map(u=>`${l}:${/\s/.test(u)?`"${u}"`:u}`)])}}
      onAdd=${i=>{let l=fo(i,e);return l.fault===void 0&&o(l.filters),l.fault}}
      onRemove=${i=>o({...e,[i]:""})}
      onType=${i=>{let{name:l}=Ee(i);r.includes(`${l}:`)&&n.load(l)}}
      clear=${qt(e).length>0?le(co(e),s):void 0}
    />
  `}var Ha=/^(key|team|owner):/;function ue(e,t,s,n,o={}){return{id:e,title:t,of:s,text:n,isNumber:!0,...o}}var Ka=[{id:"session",title:"Session",of:e=>e.session,isRisingFirst:!0},ue("requests","Requests",({requests:e})=>e,$,{card:"c",mark:"requests"}),{id:"last",title:"Last",of:({last:e})=>e,text:Wa,panel:"low",hint:"The hour of the last request"},ue("errors","Failed",({errors:e})=>e>0?e:void 0,$),ue("input","Input",e=>e.input_tokens,E,{hint:"Input tokens",panel:"hide"}),ue("cached","Cached",Ga,e=>C(e,1),{hint:"The share of the input that came from prompt caches",card:"d",mark:"cached"}),ue("moves","Moves",e=>e.affinity_moves>0?e.affinity_moves:void 0,$,{hint:"How often it moved to another target"}),ue("saved","Saved",e=>e.saved_usd>0?e.saved_usd:void 0,k,{hint:"What caches have saved",panel:"hide"}),ue("cost","Cost",e=>e.cost_usd,(e,t)=>a`<span title=${`$${e}`}>${t.unpriced_requests>0?"\u2265 ":""}${k(e)}</span>`,{card:"b"})];function Wa(e){let t=Date.parse(e);return a`<span title=${G(t)}>${se(t).replace(/:00$/,"")}</span>`}function Ga(e){return e.input_tokens>0?e.cached_input_tokens/e.input_tokens:void 0}function Xa({data:e,filters:t,opened:s}){let n=K(()=>$o(e.entries,t),[e,le(t)]);return n.length===0?a`
      <p class="card empty">
        ${qt(t).length>0?"No session matches these filters in this time.":a`No session in this time. A client names one by the header
              <code>x-sluice-session</code>.`}
      </p>
    `:a`
    <${U}
      label="Sessions"
      columns=${Ka}
      rows=${n}
      idOf=${o=>o.session}
      hrefOf=${o=>le(t,o.session)}
      actionsOf=${o=>[{text:"Open",href:le(t,o.session)},{text:"Its requests",href:M({...ae,session:o.session})},{text:"Copy the ID",copy:o.session}]}
      order=${{id:"cost",isRising:!1}}
      current=${s}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>ho(t)}
    />
    <p class="faint small" role="status">
      ${n.length===1?"1 session":`${$(n.length)} ${e.hasMore?"or more ":""}sessions`}
    </p>
  `}function ho(e){location.hash=le(e)}async function Ja(e,t,s,n){let o=[],r;for(let i=0;i<Fa&&r!==null;i++){let l={...s,session:t,limit:String(Pa),...r&&{before:r}},{data:u,next:d}=await O(F(e,"requests",l),{signal:n});o.push(...u),r=d}return{turns:ao(o),hasMore:r!==null}}function Va({id:e,session:t,times:s,filters:n}){let{data:o,error:r}=L(i=>Ja(t,e,s,i),[e,s]);return a`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${ie} text=${e} />
        </h2>
        <${As} icon="close" label="Close the session"
          onClick=${()=>ho(n)} />
      </header>
      <div class="stack padded">
        <${T} error=${r} title="The session cannot be shown" />
        ${!o&&!r&&a`<${A} />`}
        ${o?.turns.length===0&&a`
          <p>This session has no request in this time.</p>
          <p><a class="button" href=${le({...n,range:"90d",from:"",to:""},e)}>Show the last 90 days</a></p>
        `}
        ${o?.turns.length>0&&a`<${Za} ...${o} />`}
      </div>
    </section>
  `}function Za({turns:e,hasMore:t}){let{text:s,title:n}=lo(e),o=K(()=>Ya(e),[e]),r=e.findLast(i=>i.agent)?.agent;return a`
    <p class="said">${n}</p>
    <p class="soft small">${s}${r&&` Agent: ${r}.`}</p>
    ${t&&a`<p class="hint">The newest ${$(e.length)} requests.</p>`}
    <${U} label="Requests of the session" columns=${o} rows=${e}
      idOf=${i=>`${i.time} ${i.id}`}
      hrefOf=${i=>M(ae,i.id,i.time)}
      order=${{id:"number",isRising:!0}} />
  `}function Ya(e){let t=Math.max(1,...e.map(s=>s.input_tokens));return[{id:"number",title:"No.",of:({number:s})=>s,isRisingFirst:!0,cell:({number:s,time:n})=>a`<span title=${G(n)}>${s}</span>`},{id:"provider",title:"Provider",card:"b",of:({provider:s})=>s,cell:s=>a`
          ${s.hasMoved&&a`
            <span class="badge">Moved</span>
          `}
          ${s.provider===null?"\u2013":a`<${ie} text=${s.provider} />`}
          ${s.status>=400&&a`
            <${Qe} row=${s} />
          `}
        `},{id:"input",title:"Input",hint:"Input tokens; the dark part was cached",card:"c",of:s=>s.input_tokens,cell:s=>a`<${Qa} turn=${s} most=${t} />`},ue("first","First",s=>s.first_token_ms,x,{hint:"Time to first content"}),ue("cost","Cost",s=>s.cost_usd,k,{card:"d"})]}function Qa({turn:{cached_input_tokens:e,input_tokens:t},most:s}){let n=`${$(e)} of ${$(t)} from the cache`;return a`
    <span class="input-bar" title=${n}>
      <span class="input-track" style=${{width:`${48*t/s}px`}}>
        <span style=${{width:`${t===0?0:100*e/t}%`}}></span>
      </span>
      ${E(t)}
    </span>
  `}var Ao={};we(Ao,{default:()=>qo});var za=3e3;function bo({id:e,hasAdmin:t,onClose:s}){let n=t?"/v1/admin/providers":"/v1/providers",{data:o,error:r,reload:i}=L(u=>O(n,{signal:u}),[n]);_e(i,za);let l=o?.data.find(u=>u.id===e);return a`
    <${j} title=${`Provider ${e}`} onClose=${s}>
      <div class="stack">
        <${T} error=${r} />
        ${!o&&!r&&a`<${A} />`}
        ${o&&!l&&a`<p>This provider is no longer configured.</p>`}
        ${l&&a`<${el} provider=${l} />`}
      </div>
      <//>
  `}function el({provider:e}){let t=cs(e,"breakers"),s=cs(e,"learned_rejections");return a`
    <p class="row soft">
      <span>Kind <code>${e.kind}</code></span>
      <span>${nl(e)}</span>
      ${e.workers?.length>1&&a`<span>${e.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${us}
      label="Circuit breakers"
      columns=${["Model","State","Recent failures","Tries again"]}
      rows=${t.map(({worker:n,model:o,state:r,failures:i,tries_again_in_ms:l})=>[ds(o,n),a`<${ht} state=${r} />`,i,l===void 0?"\u2013":`in ${x(l)}`])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${tl} provider=${e} />
    <h3>Learned rejections</h3>
    <${us}
      label="Learned rejections"
      columns=${["Model","What the vendor rejects"]}
      rows=${s.map(({worker:n,model:o,...r})=>[ds(o,n),a`<span class="mono wrap-anywhere">${vo(r)}</span>`])}
      empty="None."
    />
  `}function tl({provider:e}){let t=cs(e,"suspended_keys");return e.workers===void 0&&e.keys?.suspended>0?a`<p>${e.keys.suspended} of ${e.keys.configured} keys are suspended.</p>`:a`
    <${us}
      label="Suspended keys"
      columns=${["Key","Model","Reason","Ends"]}
      rows=${t.map(({worker:s,key:n,model:o,reason:r,ends_in_ms:i})=>[ds(sl(e,n),s),o??"all",r,`in ${x(i)}`])}
      empty="None."
    />
  `}function us({label:e,columns:t,rows:s,empty:n}){return s.length===0?a`<p class="soft">${n}</p>`:a`
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
  `}function cs({workers:e,...t},s){if(e===void 0)return Array.isArray(t[s])?t[s]:[];let n=e.length===1;return e.flatMap(o=>(o[s]??[]).map(r=>({...r,worker:n?void 0:o.worker})))}function ds(e,t){return a`
    <span class="mono wrap-anywhere">${e}</span>
    ${t!==void 0&&a`<span class="faint small"> worker ${t}</span>`}
  `}function sl({keys:e},t){return(Array.isArray(e)?e.find(n=>n.index===t):void 0)?.fingerprint??`key ${t}`}function nl({keys:e}){let t=Array.isArray(e)?e.length:e?.configured??0;return t===1?"1 key":`${t} keys`}function vo(e){return Object.entries(e).map(([t,s])=>`${t}: ${typeof s=="object"&&s!==null?vo(s):s}`).join(", ")}var ol=[...Qt.keys()],ko={id:"state",isRising:!0};function wo({providers:e,since:t,now:s,hasAdmin:n,opened:o}){let[r,i]=w(null),l=K(()=>al(s),[s]);if(e.length===0)return a`<p class="card empty">No provider is enabled.</p>`;let u=({id:c})=>[{text:"Breakers and keys",href:yo(c)},{text:"Its requests",href:M({...ae,provider:c})},{text:"Its failures",href:M({...ae,provider:c,status:"error"})},...n?[{text:"Reset\u2026",run:()=>i(c)}]:[],{text:"Copy the name",copy:c}],d=()=>location.hash="#/status";return a`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">All providers</h2>
        ${t&&a`
          <span class="faint small">Attempts and durations since ${se(t)}</span>
        `}
      </div>
      <${U} label="Providers" columns=${l} rows=${zt(e)}
        idOf=${({id:c})=>c} hrefOf=${({id:c})=>yo(c)} actionsOf=${u}
        order=${ko} current=${o} />
    </section>
    ${o!==void 0&&a`
      <${bo} id=${o} hasAdmin=${n} onClose=${d} />
    `}
    ${r!==null&&a`<${ul} id=${r} onClose=${()=>i(null)} />`}
  `}function yo(e){return`#/status/${encodeURIComponent(e)}`}function xo(e){return[{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({state:t})=>ol.indexOf(t),cell:({state:t})=>a`<${rl} state=${t} />`},{id:"since",title:"Since",of:({health:t,state:s})=>Ns(s)||s==="ok"?t?.since:void 0,text:t=>a`<span title=${G(t)}>${he(t,e)}</span>`},{id:"evidence",title:"Evidence",isProse:!0,card:"c",of:t=>_o(t,e),cell:t=>a`<${il} entry=${t} now=${e} />`}]}function rl({state:e}){return e==="limited"?a`<span class="st slow">${Qt.get(e).text}</span>`:a`<${Ae} state=${e} />`}function _o({health:e,last_failure:t},s){let n=e==null?"":Ge(e,s);if(!t)return n;let o=n.replace(/; \d+$/,""),r=`${Zs(t)}, ${Is(t.time,s)}`;return o===""?r:`${o}; ${r}`}function il({entry:e,now:t}){let{last_failure:s}=e,n=_o(e,t);if(!s)return a`<span title=${n}>${n||"\u2013"}</span>`;let{request:o,time:r}=s;return a`<a class="failure" href=${M(ae,o,r)} title=${n}>${n}</a>`}function al(e){return[{id:"provider",title:"Provider",of:({id:t})=>t,isRisingFirst:!0},...xo(e),{id:"history",title:"24 h, failed",hint:"A bar for each hour",cell:({history:t})=>a`<${ll} history=${t} />`},{id:"in_flight",title:"In flight",isNumber:!0,text:$,of:t=>t.in_flight||void 0},...So(),{id:"rescued",title:"Rescued",isNumber:!0,of:({rescued:t})=>t,text:$,hint:"Failed attempts of requests that succeeded after all"},{id:"p50",title:"p50",isNumber:!0,of:t=>t.p50_ms,text:x},{id:"p95",title:"p95",isNumber:!0,of:t=>t.p95_ms,text:x},Oo(),{id:"keys",title:"Suspended",hint:"Suspended keys",isNumber:!0,of:t=>t.resting_keys>0?t.resting_keys:void 0,text:(t,{keys:s})=>`${t} of ${s} keys`}]}function So(){return[{id:"attempts",title:"Attempts",isNumber:!0,card:"d",mark:"attempts",of:({attempts:e})=>e,text:$},{id:"failed",title:"Failed",isNumber:!0,of:e=>e.failed_attempts,text:(e,{attempts:t})=>`${$(e)}${e>0?`, ${C(e,t)}`:""}`}]}function Oo(){return{id:"breaker",title:"Breaker",of:({breaker:e})=>e==="closed"?void 0:e,cell:({breaker:e,tries_again_in_ms:t})=>a`
        ${e==="closed"?a`<span class="faint">Closed</span>`:a`<${ht} state=${e} />`}
          ${t>0&&a`<span class="faint small"> tries again in ${x(t)}</span>`}
      `}}function ll({history:e}){let t=Ys(e);return a`
    <span class="history" role="img" aria-label=${t} title=${t}>
      ${e.map((s,n)=>a`<span key=${n} class=${Qs(s)??"none"}></span>`)}
    </span>
  `}function ul({id:e,onClose:t}){let[s,n]=w({}),o=async()=>{n({isBusy:!0});let u=`/v1/admin/providers/${encodeURIComponent(e)}/reset`;try{n({cleared:(await O(u,{method:"POST"})).cleared})}catch(d){n({error:d})}},{cleared:r,error:i,isBusy:l}=s;return a`
    <${j} title=${`Reset ${e}`} onClose=${t} class="narrow">
      <div class="stack">
        ${r===void 0?a`<p>
            This closes the circuit breakers, resumes the suspended keys and forgets the learned
            rejections of <code>${e}</code>, in every worker.
          </p>`:a`<p role="status">
            Cleared: ${r.breakers} breakers, ${r.suspended_keys} suspended keys,
            ${" "}${r.learned_rejections} learned rejections.
          </p>`}
        <${T} error=${i} title="Not reset" />
        <div class="row end">
          <button type="button" onClick=${t}>${r?"Close":"Cancel"}</button>
          ${!r&&a`
            <button type="button" class="primary" onClick=${o} disabled=${l}>Reset</button>
          `}
        </div>
      </div>
      <//>
  `}function To({models:e,now:t}){let s=K(()=>[{id:"model",title:"Model",of:({id:n})=>n,isRisingFirst:!0},{id:"provider",title:"Provider",of:({provider:n})=>n,text:n=>a`<${ie} text=${n} />`},...xo(t),...So(),Oo()],[t]);return e.length===0?null:a`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${U} label="Targets" columns=${s} rows=${zt(e)}
        idOf=${({id:n,provider:o})=>JSON.stringify([n,o])} order=${ko} />
    </section>
  `}var cl=[{id:"provider",title:"Provider",of:({id:e})=>e,isRisingFirst:!0},{id:"kind",title:"Kind",of:({kind:e})=>e,card:"b"},{id:"reason",title:"Reason",isProse:!0,card:"c2",of:({reason:e})=>e??"unknown",text:e=>a`<span title=${e}>${e}</span>`}];function Co({providers:e}){return e.length===0?null:a`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${U} label="Disabled providers" columns=${cl} rows=${e}
        idOf=${({id:t})=>t} order=${{id:"provider",isRising:!0}} />
    </section>
  `}var fs=120,Fe=26,Mo=60;function At({values:e,tone:t=""}){let s=Math.max(1,...e),n=Mo-e.length,o=i=>((n+i)/(Mo-1)*fs).toFixed(1),r=e.map((i,l)=>{let u=Fe-1-i/s*(Fe-3);return`${o(l)},${u.toFixed(1)}`}).join(" ");return a`
    <svg
      class=${`sparkline ${t}`}
      height=${Fe}
      viewBox=${`0 0 ${fs} ${Fe}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon
        points=${`${o(0)},${Fe} ${r} ${fs},${Fe}`}
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
  `}var dl=.05;function qo({route:e}){let t=W(),{state:s,history:n,isLive:o,error:r}=zs(F(t,"live")),i=t.hasAdmin?"All providers of this gateway.":"The providers of the models that your key may use.";return a`
    <div class="view" data-view="status">
      <${te} title=${s===void 0?"Providers":Js(s)} note=${i}>
        <${$l} isLive=${o} state=${s} error=${r} />
      <//>
      <${T} error=${r} title="No live state" />
      ${s===void 0?!r&&a`<${A} text="Connecting" />`:a`
        <${fl} state=${s} history=${n} opened=${e.path[0]}
          hasAdmin=${t.hasAdmin} />
      `}
    </div>
  `}function fl({state:e,history:t,hasAdmin:s,opened:n}){let o=e.providers.filter(l=>l.enabled),r=e.providers.filter(l=>!l.enabled),i=Date.parse(e.at);return a`
    <${pl} state=${e} now=${i} />
    <${hl} config=${e.config} />
    <${ml} state=${e} history=${t} enabled=${o.length} />
    <${wo} providers=${o} since=${e.since} now=${i} hasAdmin=${s}
      opened=${n} />
    <${To} models=${e.models??[]} now=${i} />
    <${Co} providers=${r} />
  `}function pl({state:e,now:t}){let s=Vs(e,t);return s.length===0?null:a`
    <ul class="problems" aria-label="Problems now">
      ${s.map(({id:n,text:o})=>a`
          <li key=${n}><a href=${`#/status/${encodeURIComponent(n)}`}>${n}</a> ${o}</li>
        `)}
    </ul>
  `}function $l({isLive:e,state:t,error:s}){return e?a`
      <span class="live-mark good">
        <span class="dot" aria-hidden="true"></span>
        <span role="status">Live</span>
        <time class="faint mono">${se(t.at)}</time>
      </span>
    `:a`
    <span class="live-mark">
      <span class="dot" aria-hidden="true"></span>
      <span role="status">${t===void 0&&!s?"Connecting":"Not live"}</span>
      ${t&&a`<time class="faint mono">last at ${se(t.at)}</time>`}
    </span>
  `}function ml({state:e,history:t,enabled:s}){let{in_flight:n,requests_per_second:o,errors_per_second:r,providers:i,config:l}=e,u=o>0?r/o:0;return a`
    <dl class="figure-grid card live">
      <${I} label="In flight" value=${$(n)}>
        <${At} values=${t.map(d=>d.in_flight)} />
        <//>
        <${I} label="Requests per second" value=${We(o)}>
          <${At} values=${t.map(d=>d.requests_per_second??0)} />
          <//>
          <${I}
            label="Errors per second"
            value=${We(r)}
            note=${u>0?`${C(u,1)} of requests`:""}
            tone=${u>=dl?"bad":""}
          >
        <${At} values=${t.map(d=>d.errors_per_second??0)} tone="bad" />
      <//>
      <${I}
        label="Providers enabled"
        value=${`${s} of ${i.length}`}
      />
      ${l&&a`
        <${I}
          label="Configuration"
          value=${l.valid?"Valid":"Stale"}
          tone=${l.valid?"":"warn"}
          note=${l.loaded_at&&`loaded ${se(l.loaded_at)}`}
        />
      `}
    </dl>
  `}function hl({config:e}){if(e===void 0||e.valid)return null;let{faults:t=[],loaded_at:s,reason:n}=e;return a`
    <section class="banner warn" role="alert" aria-labelledby="config-faults">
      <h2 id="config-faults">The changed configuration is not valid</h2>
      <p>
        The gateway still uses the configuration
        ${s?` that it loaded on ${G(s)}.`:" that it loaded before."}
      </p>
      ${t.length===0&&n&&a`<p>${n}</p>`}
      ${t.length>0&&a`
        <ul class="faults mono">
          ${t.map((o,r)=>a`<li key=${r}>${o}</li>`)}
        </ul>
      `}
    </section>
  `}var Or={};we(Or,{default:()=>Sr});var Rt=36e5,gl=48*Rt,bl="month",ce=["key","team","owner","model","provider","tag","end_user"],vl=["requests","errors","tokens","cost","latency"],st={by:"model",then:"",prefix:"",show:"cost",tab:"use",...Object.fromEntries(ce.map(e=>[e,""]))};function Et(e){let{by:t,show:s,then:n}=Object.fromEntries(e),o=ce.includes(t)?t:st.by;return{...qe(e,bl),by:o,then:ce.includes(n)&&n!==o?n:"",prefix:e.get("prefix")??"",show:vl.includes(s)?s:st.show,tab:e.get("tab")==="bill"?"bill":st.tab,...Object.fromEntries(ce.map(r=>[r,e.get(r)??""]))}}function Ue(e){return Object.fromEntries(ce.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function Be(e,t="usage"){let s=new URLSearchParams;ut(s,e);for(let n of Object.keys(st))e[n]!==st[n]&&s.set(n,e[n]);return`#/${t}?${s}`}function nt(e,t,s){let{from:n,isOpen:o,to:r}=xe(e,t,s),i=r-n<=gl?"hour":"day",l=[],u=i==="hour"?n-n%Rt:Z(n,s);for(;u<r;)l.push(u),u=i==="hour"?u+Rt:Z(u,s,1);return{from:Math.min(n,l[0]??n),to:r,end:u,isOpen:o,unit:i,zone:s,starts:l}}function Ro(e,{unit:t,zone:s}){return t==="hour"?`${new Date(e).toISOString().slice(0,16)}Z`:ee(e,s)}function Eo(e,{from:t,to:s,zone:n,isOpen:o}){let r=o?Z(s-1,n):s;if(r<=t)return;let i=Math.round((r-t)/(24*Rt)),u=e.range==="month"||e.range==="last-month"?me(t,n,-1):Z(t,n,-i),d=Z(u,n,i);return{now:{from:t,to:r},before:{from:u,to:Math.min(d,t)}}}function Lt({from:e,to:t},s){return{from:new Date(e).toISOString(),to:new Date(t).toISOString(),...s!=="UTC"&&{time_zone:s}}}var Lo=5,ps=[{id:"requests",name:"Requests",of:e=>e.requests,format:$,isWhole:!0},{id:"errors",name:"Errors",of:e=>e.errors,format:$,isWhole:!0},{id:"tokens",name:"Tokens",of:e=>e.input_tokens+e.output_tokens,format:E,isWhole:!0},{id:"cost",name:"Cost",of:N,format:k,isWhole:!1},{id:"latency",name:"Duration",format:yl,isWhole:!1,isLines:!0}];function yl(e){return e===0?"0":x(e)}function Do(e){return ps.find(t=>t.id===e)}function N({cost_usd:e,unpriced_requests:t}){return t>0&&e===0?null:e}function X(e){if(e===void 0)return k(0);let t=N(e);return t===null?"unknown":e.unpriced_requests>0?`\u2265 ${k(t)}`:k(t)}function Po(e){let t=new Map;for(let{requests:s,tag:n}of e){let[,o]=/^([^:]+):./.exec(n??"")??[];o!==void 0&&t.set(o,(t.get(o)??0)+s)}return[...t].sort(([,s],[,n])=>n-s).map(([s])=>s)}function Fo(e,t){let s=`${t}:`;return e.flatMap(n=>n.tag?.startsWith(s)?[{...n,tag:n.tag.slice(s.length)}]:[])}function Uo(e,t,s){let n="A request with several tags counts for each of them",o=t.reduce((i,l)=>i+l.requests,0);if(s||e===void 0||o<=e.requests)return`${n}, so the rows may add up to more than the total.`;let r=ot(...t);return`${n}: the rows add up to ${$(r.requests)} requests and ${X(r)}, all requests are ${$(e.requests)} and ${X(e)}.`}function de(e,t){return e??(t===null?"all":t==="tag"?"untagged":`no ${t.replace("_"," ")}`)}function Bo(e,t,{by:s,show:n}){let{unit:o}=t,r=Do(n),{times:i,positions:l}=Ho(t),u=new Map;for(let b of e){let g=l.get(b[o]);if(g===void 0)continue;let v=b[s]??null,h=u.get(v);h===void 0&&(h={name:de(v,s),values:i.map(()=>0),sums:ot()},u.set(v,h)),h.values[g]=r.of(b),h.sums=ot(h.sums,b)}let d=({sums:b})=>r.of(b)??-1,c=[...u.values()].sort((b,g)=>d(g)-d(b)),f=c.slice(0,Lo).map(b=>Io(b,r)),p=c.slice(Lo),m=ot(...c.map(({sums:b})=>b));return{metric:r,unit:o,zone:t.zone,isOpen:t.isOpen,times:Ko(i,t),unpriced:n==="cost"?m.unpriced_requests:0,series:p.length===0?f:[...f,Io(kl(p),r,!0)]}}function jo(e,t,s){let{times:n,positions:o}=Ho(t),r=No.map(({name:i,member:l})=>({name:i,isOther:!1,isPartial:!1,total:s?.[l]??null,values:n.map(()=>null)}));for(let i of e){let l=o.get(i[t.unit]);l!==void 0&&No.forEach(({member:u},d)=>r[d].values[l]=i[u]??null)}return{metric:Do("latency"),unit:t.unit,zone:t.zone,isOpen:!1,times:Ko(n,t),unpriced:0,series:r}}var No=[{name:"p95",member:"p95_ms"},{name:"p50",member:"p50_ms"},{name:"First token, p50",member:"first_token_p50_ms"}];function Ho(e){let{starts:t}=e,s=new Map(t.map((n,o)=>[Ro(n,e),o]));return{times:t,positions:s}}function Ko(e,{zone:t}){return e.map(s=>(s+Fs(s,t))/1e3)}function $s(e,t){if(!t||e===null||e===void 0)return"";let s=Math.round(100*(e-t)/t);return`${s>0?"+":s<0?"\u2212":"\xB1"}${$(Math.abs(s))} %`}function Io({name:e,values:t,sums:s},n,o=!1){let r=n.id==="cost"&&s.unpriced_requests>0;return{name:e,isOther:o,values:t,total:n.of(s),isPartial:r}}function kl(e){return{name:e.length===1?"1 other":`${e.length} others`,values:e[0].values.map((t,s)=>xl(e.map(n=>n.values[s]))),sums:ot(...e.map(({sums:t})=>t))}}var wl=["requests","errors","input_tokens","output_tokens","cost_usd","unpriced_requests","unused_cost_usd","cached_input_tokens"];function ot(...e){return Object.fromEntries(wl.map(t=>[t,e.reduce((s,n)=>s+(n[t]??0),0)]))}function xl(e){let t=e.filter(s=>s!==null);return t.length===0?null:t.reduce((s,n)=>s+n,0)}var _l=[{id:"name",title:"Billed by",isRisingFirst:!0,card:"a",of:e=>de(e.provider,"provider")},{id:"cost",title:"Cost",of:N,cell:X,isNumber:!0,card:"b"},{id:"unused",title:"Paid but not used",isNumber:!0,card:"d",hint:"Attempts that failed and were billed, and hedges that lost",of:e=>e.unused_cost_usd,text:k},{id:"share",title:"Of its cost",isNumber:!0,of:e=>N(e)?e.unused_cost_usd/N(e):void 0,text:e=>C(e,1)},{id:"requests",title:"Answered",isNumber:!0,card:"c",mark:"Answered",hint:"Requests that the provider answered: attempts that it bills may be more",of:e=>e.requests,text:$},{id:"input",title:"Input",of:e=>e.input_tokens,text:E,isNumber:!0},{id:"cached",title:"Cached",of:({cached_input_tokens:e})=>e,text:E,isNumber:!0},{id:"output",title:"Output",of:e=>e.output_tokens,text:E,isNumber:!0}];function Wo({entries:e,total:t}){let s=t?.unused_cost_usd??0;return a`
    <p>
      ${s>0?a`<strong>${k(s)}</strong> was paid for answers that were not used, ${C(s,N(t)??0)} of the cost.`:"Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${U} label="Cost by provider" columns=${_l} rows=${e}
      idOf=${n=>String(n.provider)} order=${{id:"cost",isRising:!1}} />
  `}var Sl="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),Go={hour:[1,2,3,6,12,24],day:[1,2,7,14,28,56,112,364]};function Xo(e,t,s){let n=e[0]?.values.length??0,o=s.width/n,r=Math.min(72,Math.max(1,o*.75)),i=Array(n).fill(0),l=u=>s.top+s.height*(1-u/t);return e.map(({values:u})=>u.map((c,f)=>{if(!c)return"";let p=i[f];i[f]+=c;let m=s.left+o*(f+.5)-r/2,b=l(i[f]);return`M${fe(m)} ${fe(b)}h${fe(r)}V${fe(l(p))}h${fe(-r)}z`}).join(""))}function Jo(e,t,s){let n=s.width/(e[0]?.values.length??1);return e.map(({values:o})=>o.map((r,i)=>{if(r===null)return"";let l=fe(s.left+n*(i+.5)),u=fe(s.top+s.height*(1-r/t));return(o[i-1]??null)===null?`M${l} ${u}h0`:`L${l} ${u}`}).join(""))}var Nt={height:240,left:64,right:8,top:14,bottom:26};function Vo({course:{start:e,end:t,points:s},forecast:n,budget:o,width:r}){let{bottom:i,height:l,left:u,top:d}=Nt,c=s.at(-1),f=ms([{values:[c.usd,o??0,n?.high??0]}],{isLines:!0}),p=f.at(-1),m=r-Nt.right,b=h=>fe(u+(m-u)*(h-e)/(t-e)),g=h=>fe(d+(l-d-i)*(1-h/p)),v=`M${b(c.time)} ${g(c.usd)}`;return{ticks:f,x:b,y:g,right:m,spent:s.map(({time:h,usd:_},y)=>`${y===0?"M":"L"}${b(h)} ${g(_)}`).join(""),band:n&&`${v}L${m} ${g(n.high)}V${g(n.low)}z`,line:n&&`${v}L${m} ${g(n.usd)}`,budget:o===void 0?void 0:`M${u} ${g(o)}H${m}`}}function ms(e,{isWhole:t,isLines:s=!1}){let o=(e[0]?.values.map((d,c)=>{let f=e.map(({values:p})=>p[c]??0);return s?Math.max(...f):f.reduce((p,m)=>p+m,0)})??[]).reduce((d,c)=>Math.max(d,c),0);if(o===0)return t?[0,1]:[0,.01];let r=10**Math.floor(Math.log10(o/5)),i=[1,2,5,10].find(d=>o/(d*r)<=5)??10,l=t?Math.max(1,i*r):i*r,u=Math.ceil(o/l-1e-9);return Array.from({length:u+1},(d,c)=>Number((c*l).toPrecision(12)))}function Zo(e,t,s){let n=Math.max(1,Math.floor(s/64)),o=Go[t].find(r=>e.length/r<=n)??Go[t].at(-1);return e.flatMap((r,i)=>(t==="hour"?new Date(r*1e3).getUTCHours():i)%o===0?[{index:i,text:Ol(r,t)}]:[])}function Ol(e,t){let s=new Date(e*1e3);return t==="hour"?s.toISOString().slice(11,16):`${s.getUTCDate()} ${Sl[s.getUTCMonth()]}`}function hs(e,t){let s=new Date(e*1e3).toISOString();return t==="hour"?`${s.slice(0,10)} ${s.slice(11,16)}`:s.slice(0,10)}function fe(e){return Math.round(e*10)/10}var It=240,be=64,Yo=8,Dt=10,Tl=26,Cl=48;function Qo({chart:e,linkOf:t}){let[s,n]=w(null),{isOpen:o,metric:r,unit:i,times:l,series:u,unpriced:d,zone:c}=e,f=s!==null&&s<l.length?s:null;return a`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${r.name} per ${i}</strong>
        <span class="soft small">
          ${f===null?`Times in ${c}${o&&i==="day"?"; today is not over":""}`:`${hs(l[f],i)} ${c}`}
        </span>
      </figcaption>
      <${Ml} chart=${e} hovered=${f} onHover=${n} linkOf=${t} />
      <ul class="legend">
        ${u.map(({name:p,values:m,isOther:b,...g},v)=>a`
            <li key=${`${v}${p}`}>
              <span class=${`swatch ${er(b,v)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${p}</span>
              <strong>
                ${f===null?zo(g,r):gs(m[f],r)}
              </strong>
            </li>
          `)}
      </ul>
      ${d>0&&a`
        <p class="hint">
          The price of ${d} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${ql} chart=${e} linkOf=${t} zone=${c} />
    </figure>
  `}function Ml({chart:e,hovered:t,onHover:s,linkOf:n}){let o=P(null),r=Ne(o),{isOpen:i,metric:l,unit:u,times:d,series:c}=e,f={left:be,top:Dt,width:r-be-Yo,height:It-Dt-Tl},p=f.width/d.length,m=ms(c,l),b=l.isLines?Jo:Xo,g=r===0?[]:b(c,m.at(-1),f),v=y=>f.top+f.height*(1-y/m.at(-1)),h=y=>{let S=y.clientX-o.current.getBoundingClientRect().left-be,q=Math.floor(S/p);s(q>=0&&q<d.length?q:null)},_=`${l.name} per ${u}: ${c.map(({name:y,...S})=>`${y} ${zo(S,l)}`).join(", ")}`;return a`
    <div
      class=${l.isLines?"plot lines":"plot"}
      ref=${o}
      title="Show the requests of a time"
      onPointerMove=${h}
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
            x=${be+t*p}
            y=${Dt}
            width=${p}
            height=${f.height}
          />
        `}
        ${m.map(y=>a`
            <g key=${y}>
              <line class="grid" x1=${be} x2=${r-Yo} y1=${v(y)} y2=${v(y)} />
              <text x=${be-8} y=${v(y)+4} text-anchor="end">${l.format(y)}</text>
            </g>
          `)}
        ${g.map((y,S)=>a`<path key=${S} class=${er(c[S].isOther,S)} d=${y} />`)}
        ${i&&!l.isLines&&r>0&&a`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${be+(d.length-1)*p} y=${Dt} width=${p}
            height=${f.height} />
        `}
        ${r>0&&Zo(d,u,f.width).map(({index:y,text:S})=>a`
            <text
              key=${y}
              x=${be+(y+.5)*p}
              y=${It-8}
              text-anchor=${(d.length-y-.5)*p<Cl/2?"end":"middle"}
            >${S}</text>
          `)}
      </svg>
    </div>
  `}function gs(e,t){return e===null?t.isLines?"\u2013":"unknown":t.format(e)}function zo({total:e,isPartial:t},s){return`${t&&e!==null?"\u2265 ":""}${gs(e,s)}`}function er(e,t){return e?"series-other":`series-${t+1}`}function ql({chart:{times:e,series:t,metric:s,unit:n},linkOf:o,zone:r}){let[i,l]=w(!1);return a`
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
                    <a href=${o(d)}>${hs(u,n)}</a>
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
  `}var sr=["requests","errors","input_tokens","cached_input_tokens","output_tokens","cost_usd","unused_cost_usd","unpriced_requests"];function bs({by:e,period:{from:t,to:s,zone:n},then:o}){let r=[e,o].filter(i=>i);return`usage_${[ee(t,n),ee(s-1,n),...r].join("_")}.csv`}function nr({by:e,detailed:t,groups:s,then:n,total:o}){let r=[e,n].filter(l=>l),i=[[...r,...sr]];for(let l of t??s)i.push([...r.map(u=>de(l[u],u)),...tr(l)]);return i.push([...r.map((l,u)=>u===0?"Total":""),...tr(o??{})]),i.map(l=>l.map(Al).join(",")+`
`).join("")}function tr(e){return sr.map(t=>e[t]??(t==="cost_usd"?"":0))}function Al(e){if(typeof e=="number")return String(e);let t=/^[=+\-@\t\r]/.test(e)?`'${e}`:e;return/[",;\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t}function or({data:e}){let t=e.detailed??e.groups,s=e.hasMore?`the first ${$(t.length)} rows`:`${$(t.length)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${bs(e)}
      onClick=${()=>vt(bs(e),nr(e))}>CSV, ${s}</button>
  `}var Rl={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"};function rr({choice:e,session:t,onChange:s}){let[n,o]=w(e),r=Le(t),i=ce.map(c=>e[c]).join(`
`);B(()=>o(e),[i]);let l=(c,f)=>{let p=f.trim();p!==e[c]&&s({[c]:p,...p!==""&&El(c,e)})},u=new Set(["key","team","owner"]),d=ce.filter(c=>!u.has(c)||t.hasAdmin);return a`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${c=>c.preventDefault()}
    >
      ${d.map(c=>a`
          <div class="field" key=${c}>
            <label for=${`usage-${c}`}>${Rl[c]}</label>
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
        <button type="button" class="quiet" onClick=${()=>s(Object.fromEntries(ce.map(c=>[c,""])))}>Clear</button>
      `}
    </form>
  `}function El(e,{by:t}){let s=e==="tag"?"end_user":e==="end_user"?"tag":void 0;return s&&{[s]:"",...t===s&&{by:"model"}}}var Ll=864e5,Nl=7,Il=3;function ar({spent:e,costs:t,now:s,zone:n,since:o=-1/0}){let r=Z(s,n),i=[];for(let p=1;p<=Nl;p++){let m=Z(r,n,-p);if(m<o)break;i.push(t.get(ee(m,n))??0)}if(i.length<Il)return;let u=(me(s,n,1)-s)/Ll,d=i.toSorted((p,m)=>p-m),c=i.reduce((p,m)=>p+m,0)/i.length,f=p=>e+p*u;return{usd:f(c),low:f(ir(d,.1)),high:f(ir(d,.9)),mean:c,left:u,days:i.length}}function lr({spent:e,costs:t,now:s,zone:n}){let[o,r]=[me(s,n),me(s,n,1)],i=[{time:o,usd:0}];for(let l=o;l<Z(s,n);){let u=i.at(-1).usd+(t.get(ee(l,n))??0);l=Z(l,n,1),i.push({time:l,usd:u})}return{start:o,end:r,points:[...i,{time:s,usd:e}]}}function ur(e,t,s){let n=new Map(e.filter(r=>r.status==="active"&&r.budget?.per==="month"&&["team","owner"].every(i=>s[i]===""||r[i]===s[i])&&(s.key===""||r.name===s.key)).map(({budget:r,name:i})=>[i,r.usd]));if(!(t.some(r=>r.cost_usd>0&&!n.has(r.key))||n.size===0))return[...n.values()].reduce((r,i)=>r+i,0)}function ir(e,t){let s=t*(e.length-1),[n,o]=[e[Math.floor(s)],e[Math.ceil(s)]];return n+(o-n)*(s-Math.floor(s))}function cr(e){let{budget:t,forecast:s,isMonth:n,now:o,rangeName:r,requests:i,spent:l,unpriced:u,zone:d}=e;if(i===0)return{title:`No requests: ${r.toLowerCase()}`,text:""};let c=l??0,f=u>0?"at least ":"";if(!n)return{title:`${r}: ${l===null?"an unknown cost":`${f}${k(c)}`}`,text:`${$(i)} requests.`};let p=Me(d,{month:"long"}).format(o);if(s===void 0)return{title:`${p} has cost ${f}${k(c)} so far`,text:"A forecast needs three full days."};let m=t===void 0?0:s.usd-t,b=t===void 0?"":m>0?`, ${J(m)} over the budgets`:`, ${J(-m)} under the budgets`;return{title:`${p} will end near ${f}${J(s.usd)}${b}`,text:`${k(c)} is spent. The forecast adds the mean of the last ${s.days} full days, ${k(s.mean)}, for the ${s.left.toFixed(1)} days that are left; it lies between ${J(s.low)} and ${J(s.high)}.`}}function J(e){return e<100?k(e):`$${$(Number(e.toPrecision(3)))}`}var Dl=new Set(["(other)","(unreadable)"]);function dr(e,{from:t,to:s},n={}){let o=Object.entries(Ue(e)).filter(([r])=>Je.includes(r));return M($t({...ae,...Object.fromEntries(o),...n},t,s))}function vs(e,t,s,n,o=""){if(!(n==null||Dl.has(n)))return Je.includes(s)?dr(e,t,{[s]:n,status:o}):Be({...e,[s]:n,by:"key",then:""})}function fr(e,{end:t,starts:s},n){return dr(e,{from:s[n],to:s[n+1]??t})}var Pl=2e4,Fl=8;function pr(e,t,s){let n=Ue(t),o=m=>{let b=async(v,h,_=s)=>{let y={...Lt(h,_),...n,...v!==""&&{group_by:v}},{parts:S,hasMore:q}=await Pe(async V=>{let{data:R,next:re}=await O(F(e,"usage",{...y,...V}),{signal:m});return{part:R,next:re}});return{entries:S.flat(),hasMore:q}},g=()=>e.hasAdmin?Promise.all([dt({},m),b("key",nt(t,D(),s))]).then(([v,{entries:h}])=>ur(v,h,t)).catch(()=>{}):O("/v1/usage?from=2100-01-01&to=2100-01-02",{signal:m}).then(({budget:v})=>Gl(v)?v.limit_usd:void 0);return Ul({choice:t,get:b,now:D(),zone:s,budgets:g})},{by:r,from:i,prefix:l,range:u,show:d,then:c,to:f}=t,p=[e.hasAdmin,u,i,f,r,c,l,s,d==="latency"];return L(o,[...p,JSON.stringify(n)])}async function Ul({choice:e,get:t,now:s,zone:n,budgets:o}){let{by:r,then:i}=e,l=nt(e,s,n),u=e.show==="latency",d=e.range==="month",c=d?{from:Math.min(l.from,Z(s,n,-Fl)),to:s+1}:void 0,f=d&&Wl.every(Y=>e[Y]===""),[p,m,b,g,v,h,_]=await Promise.all([t("",l),t(r,l),i===""?void 0:t(`${r},${i}`,l),t("model,provider",l),c&&t("day",c),Hl(e,t,l),f?o():void 0]),y=m.entries.length*l.starts.length,S=m.hasMore||y>Pl,q=await t(S||u?l.unit:`${l.unit},${r}`,l),V=p.entries[0],R=V===void 0?0:N(V),re=new Map((v?.entries??[]).map(Y=>[Y.day,N(Y)??0])),lt={spent:R??0,costs:re,now:s,zone:n},Cs=v&&ar({...lt,since:h.since}),Vt=Y=>r==="tag"&&e.prefix!==""?Fo(Y,e.prefix):Y;return{total:V,period:l,choice:e,by:r,then:i,isLatency:u,isTogether:S,budget:_,forecast:Cs,course:d?lr(lt):void 0,headline:{spent:R,forecast:Cs,budget:_,now:s,zone:n,isMonth:d,requests:V?.requests??0,unpriced:V?.unpriced_requests??0},groups:Vt(m.entries),hasMore:m.hasMore,detailed:b&&Vt(b.entries),prefixes:r==="tag"?Po(m.entries):[],series:S||u?q.entries:Vt(q.entries),compared:h.result,bill:Bl(g.entries),unpriced:g.entries.filter(({unpriced_requests:Y})=>Y>0).sort((Y,ai)=>ai.unpriced_requests-Y.unpriced_requests)}}function Bl(e){return[...Map.groupBy(e,({provider:t})=>t)].map(([t,s])=>({...jl(s),provider:t}))}function jl(e){let t={};for(let s of e)for(let[n,o]of Object.entries(s))typeof o=="number"&&(t[n]=(t[n]??0)+o);return{cost_usd:0,...t}}async function Hl(e,t,s){let n=Eo(e,s),o=me(s.from,s.zone,-12),[r]=(await t("day",{from:o,to:s.to},"UTC")).entries.map(({day:c})=>c).sort(),i=r===void 0?s.to:Date.parse(r);if(n===void 0||i>n.before.from)return{since:i,result:void 0};let[l,u]=await Promise.all([t("",n.now),t("",n.before)]),d=l.entries[0]&&u.entries[0]?{now:l.entries[0],before:u.entries[0],name:Kl(n.before,s.zone)}:void 0;return{since:i,result:d}}function Kl({from:e,to:t},s){return Me(s,{day:"numeric",month:"short"}).formatRange(e,t-1)}var Wl=["model","provider","tag","end_user"];function Gl(e){return e?.renews_at?Date.parse(e.renews_at)-Date.parse(e.period_start)>27*864e5:!1}var $r=14;function mr({data:{budget:e,course:t,forecast:s,period:{zone:n}}}){let o=P(null),r=Ne(o),{start:i,end:l,points:u}=t,{height:d,left:c,top:f}=Nt,{right:p,ticks:m,x:b,y:g,...v}=Vo({course:t,forecast:s,budget:e,width:r}),h=Me(n,{day:"numeric",month:"short"}),_=u.at(-1),y=[i,(i+l)/2,l-1],S=[`${k(_.usd)} on ${h.format(_.time)}`,s&&`forecast ${J(s.usd)} on ${h.format(l-1)}, between ${J(s.low)} and ${J(s.high)}`,e!==void 0&&`the budget is ${k(e)}`].filter(Boolean).join("; ");return a`
    <figure class="card chart month-chart">
      <figcaption class="row spread">
        <strong>Cost of the month</strong>
        <span class="soft small">
          ${s?`Forecast of ${h.format(l-1)}: ${J(s.usd)}`:`Until ${h.format(_.time)}, ${n}`}
        </span>
      </figcaption>
      <div class="plot" ref=${o}>
        <svg width=${r} height=${d} viewBox=${`0 0 ${r} ${d}`} role="img"
          aria-label=${S}>
          ${m.map(q=>a`
              <g key=${q}>
                <line class="grid" x1=${c} x2=${p} y1=${g(q)} y2=${g(q)} />
                <text x=${c-8} y=${g(q)+4} text-anchor="end">${k(q)}</text>
              </g>
            `)}
          ${y.map((q,V)=>a`
              <text key=${ee(q,n)} x=${b(q)} y=${d-8}
                text-anchor=${["start","middle","end"][V]}>${h.format(q)}</text>
            `)}
          ${v.band&&a`<path class="band" d=${v.band} />`}
          ${v.budget&&a`<path class="budget-line" d=${v.budget} />`}
          <path class="spent" d=${v.spent} />
          ${v.line&&a`<path class="forecast" d=${v.line} />`}
          ${v.budget&&a`
            <text x=${c+4} y=${g(e)+(g(e)<f+$r?$r:-4)}
            >Budget ${k(e)}</text>
          `}
        </svg>
      </div>
      ${s===void 0&&a`<p class="hint">A forecast needs three full days.</p>`}
    </figure>
  `}var Xl=[{name:"input",label:"US dollars per million input tokens"},{name:"output",label:"US dollars per million output tokens"},{name:"cached_input",label:"Per million cached input tokens",isOptional:!0}],Jl=[{unit:"searches",name:"thousand_searches",label:"US dollars per 1,000 searches"},{unit:"images",name:"image",label:"US dollars per image"},{unit:"characters",name:"million_characters",label:"US dollars per million characters"},{unit:"seconds",name:"minute",label:"US dollars per minute"}];function hr(e){let t=Jl.filter(({unit:o})=>e[o]>0),s=t.length===0||e.input_tokens+e.output_tokens>0,n=Xl.map(o=>t.length>0?{...o,isOptional:!0}:o);return[...t,...s?n:[]]}function gr({data:e,targets:t},s,n){let o=(e.find(({id:i})=>i===s)?.steps??[]).flatMap(i=>i.targets).filter(i=>i.provider===n).map(({upstream:i})=>i),r=t.filter(i=>i.provider===n&&o.includes(i.upstream));return r.length>0?r.map(({id:i})=>i):s===null?[]:[s]}function br(e,t,s,n,o){let r=e.find(({path:p})=>p[0]==="providers"&&p[1]===t);if(r===void 0||s===void 0)return{fault:"config.yaml has no such provider: change its text."};let i=r.fields.find(({path:p})=>p.length===1&&p[0]==="models");if(i?.items===void 0)return{fault:"The provider has no list of models: name the model in 'models' first."};let l=n.map(({isOptional:p,name:m})=>[m,o[m]??"",p]);if(!l.every(([,p,m])=>/^\d+(\.\d+)?$/.test(p)||m&&p===""))return{};let d=Object.fromEntries(l.filter(([,p])=>p!=="").map(([p,m])=>[p,Number(m)])),c=i.items.findIndex(({name:p})=>p===s),f=[...r.path,"models",c===-1?i.items.length:c];return c!==-1&&i.items[c].is_text?{edits:[{path:[...f,"prices"],value:d}]}:{edits:[{path:f,value:{id:s,prices:d}}]}}var ys=20;function vr({entries:e,canSet:t}){let[s,n]=w(void 0),[o,r]=w([]),i=t&&e.length>0,{data:l}=L(async c=>i?await O("/v1/admin/config",{signal:c}):void 0,[i]);if(e.length===0)return null;let u=e.reduce((c,f)=>c+f.unpriced_requests,0),d=l?.editable===!1?l.read_only_reason:void 0;return a`
    <section class="to-do stack" aria-labelledby="to-do-title">
      <h2 id="to-do-title">${$(e.length)} ${e.length===1?"model has":"models have"} no price</h2>
      <p>${$(u)} ${u===1?"request is":"requests are"} not in these sums.${d&&a`<span class="soft"> ${d}.</span>`}</p>
      <ul class="price-list">
        ${e.slice(0,ys).map(c=>a`
            <li key=${ks(c)}>
              <span class="wrap-anywhere"><code>${c.model??"(no model)"}</code>
                <span class="soft"> at ${c.provider??"no provider"}, ${$(c.unpriced_requests)} ${c.unpriced_requests===1?"request":"requests"}</span></span>
              ${o.includes(ks(c))?a`<span class="soft">Requests have a cost from now on.</span>`:t&&a`
                  <button type="button" class="small" title=${d}
                    disabled=${!l||d!==void 0}
                    onClick=${()=>n(c)}
                    aria-label=${`Set a price of ${c.model} at ${c.provider}`}
                  >Set a price</button>
                `}
            </li>
          `)}
      </ul>
      ${e.length>ys&&a`
        <p class="soft">And ${$(e.length-ys)} more.</p>
      `}
      ${s&&a`
        <${Zl} entry=${s} onClose=${()=>n(void 0)}
          onSaved=${()=>{r([...o,ks(s)]),n(void 0)}} />
      `}
    </section>
  `}function ks({model:e,provider:t}){return JSON.stringify([e,t])}async function Vl({model:e,provider:t},s){let[n,o]=await Promise.all([O("/v1/admin/config",{signal:s}),O("/v1/admin/routes",{signal:s})]),r=n.file_text??n.text,{objects:i}=await O("/v1/admin/config/form",{body:{text:r,edits:[]},signal:s});return{config:n,base:r,objects:i,targets:gr(o,e,t)}}function Zl({entry:e,onSaved:t,onClose:s}){let n=Rs("price"),[o,r]=w(0),{data:i,error:l}=L(y=>Vl(e,y),[o]),[u,d]=w(void 0),[c,f]=w({}),[p,m]=w({}),b=hr(e),g=i?.targets.find(y=>y===u)??i?.targets[0],{edits:v,fault:h}=i?br(i.objects,e.provider,g,b,c):{};if(p.text!==void 0)return a`
      <${en} config=${i.config} base=${i.base} text=${p.text}
        onSaved=${t} onClose=${s} onReload=${()=>{r(o+1),m({})}} />
    `;let _=async y=>{y.preventDefault();try{let S={text:i.base,edits:v};m(await O("/v1/admin/config/form",{body:S}))}catch(S){m({error:S})}};return a`
    <${j} title=${`Set a price of ${e.model}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${_}>
        <${T} error=${l??p.error} title="The price cannot be set" />
        ${!i&&!l&&a`<${A} />`}
        ${i?.targets.length>1&&a`
          <div class="field">
            <label for=${n}>Model in config.yaml</label>
            <select id=${n} value=${g} onChange=${y=>d(y.target.value)}>
              ${i.targets.map(y=>a`<option key=${y} value=${y}>${y}</option>`)}
            </select>
          </div>
        `}
        ${i&&h&&a`<p class="fault">${h}</p>`}
        ${b.map(({label:y,name:S,isOptional:q})=>a`
            <div class="field" key=${S}>
              <label for=${`${n}-${S}`}>${y}${q?", if it differs":""}</label>
              <input id=${`${n}-${S}`} type="text" inputmode="decimal" autocomplete="off"
                value=${c[S]??""} required=${!q}
                pattern="\\d{1,9}([.]\\d{1,9})?"
                onInput=${V=>f({...c,[S]:V.target.value})} />
            </div>
          `)}
        <p class="hint">Requests have a cost from then on; earlier ones stay without one.</p>
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          <button type="submit" class="primary" disabled=${!v}>Review the change</button>
        </div>
      </form>
      <//>
  `}var yr={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"},ws=e=>({of:t=>t[e],text:E,isNumber:!0});function Yl(e,t){let s=e?N(e)??0:0;return[{id:"cost",title:"Cost",of:N,cell:X,isNumber:!0,card:"b"},{id:"share",title:"Share",isNumber:!0,card:"d",of:n=>s>0?(N(n)??0)/s:void 0,cell:n=>C(N(n)??0,s)},{id:"requests",title:"Requests",isNumber:!0,card:"c",mark:"Requests",of:n=>n.requests,text:$},{id:"errors",title:"Errors",isNumber:!0,of:n=>n.errors||null,cell:n=>{let o=t(n,"error");return o?a`<a href=${o}>${$(n.errors)}</a>`:$(n.errors)}},{id:"input",title:"Input",hint:"Input tokens",...ws("input_tokens")},{id:"cached",title:"Cached",hint:"Cached input",...ws("cached_input_tokens")},{id:"output",title:"Output",hint:"Output tokens",...ws("output_tokens")},...Oe.map(n=>({...n,isNumber:!0,of:o=>o[n.id]||null})),{id:"unused",title:"Not used",isNumber:!0,hint:"Cost of attempts whose answer was not used",of:n=>n.unused_cost_usd||null,text:k},{id:"p50",title:"p50",of:({p50_ms:n})=>n,text:x,isNumber:!0},{id:"p95",title:"p95",of:({p95_ms:n})=>n,text:x,isNumber:!0}]}function kr({entries:e,detailed:t,by:s,then:n,total:o,linkOf:r}){let[i,l]=w({id:"cost",isRising:!1}),u=yr[s]+(n===""?"":`, ${yr[n].toLowerCase()}`),d=[{id:"name",title:u,isRisingFirst:!0,card:"a",of:({isSub:f,...p})=>de(p[f?n:s],f?n:s)},...Yl(o,r)],c=K(()=>{let f=d.find(({id:b})=>b===i.id),p=Zt(e,f,i.isRising);if(t===void 0)return p;let m=Map.groupBy(t,b=>b[s]);return p.flatMap(b=>[b,...Zt((m.get(b[s])??[]).map(g=>({...g,isSub:!0})),f,i.isRising)])},[e,t,i]);return a`
    <${U} label=${`Usage by ${u.toLowerCase()}`} columns=${d} rows=${c}
      idOf=${f=>JSON.stringify([f[s],f.isSub?f[n]:void 0])}
      hrefOf=${f=>f.isSub?void 0:r(f)}
      classOf=${({isSub:f})=>f?"sub":""} order=${i} onOrder=${l} />
  `}var Ql=.05;function wr({data:e}){let{budget:t,compared:s,forecast:n,total:o}=e,{requests:r=0,errors:i=0,input_tokens:l=0,output_tokens:u=0}=o??{},d=o?N(o):0;return a`
    <dl class="figure-grid card">
      <${I} label="Cost" value=${X(o)}
        note=${zl(t!==void 0&&`${C(d??0,t)} of ${k(t)}`,o?.unpriced_requests>0&&`${$(o.unpriced_requests)} with an unknown price`)} tone=${t!==void 0&&d>t?"bad":""} />
      ${n&&a`
        <${I} label="Forecast" value=${J(n.usd)}
          note=${`${J(n.low)} to ${J(n.high)}`} />
      `}
      ${s&&a`
        <${I} label=${`Against ${s.name}`} value=${$s(N(s.now),N(s.before))||"\u2013"}
          note=${`${X(s.now)} against ${X(s.before)}, full days`} />
      `}
      <${I} label="Requests" value=${$(r)}
        note=${s&&$s(s.now.requests,s.before.requests)} />
      <${I} label="Errors" value=${$(i)}
        note=${i>0?`${(100*i/r).toFixed(1)} % of requests`:""}
        tone=${i>r*Ql?"bad":""} />
      <${I} label="Input tokens" value=${E(l)} note=${eu(o)} />
      <${I} label="Output tokens" value=${E(u)} note=${tu(o)} />
      ${wt([o]).map(({id:c,title:f,text:p})=>a`<${I} key=${c} label=${f} value=${p(o[c])} />`)}
      <${I} label="Duration, p50" value=${r>0?x(o.p50_ms):"\u2013"}
        note=${r>0?`p95 ${x(o.p95_ms)}`:""} />
    </dl>
  `}function zl(...e){return e.filter(t=>t).join(", ")}function eu(e){return e?.cached_input_tokens>0?`${E(e.cached_input_tokens)} cached`:""}function tu(e){let t=e?.estimated_requests??0;return t>0?`${$(t)} requests estimated`:""}var su=[["model","Model"],["provider","Provider"],["team","Team"],["owner","Owner"],["key","Key"],["tag","Tag"],["end_user","End user"]],xr=["tag","end_user"],nu=["team","owner","key"];function Pt(e,t,s=""){let n=xr.filter(o=>t[o]!==""||o===s);return su.filter(([o])=>(e.hasAdmin||!nu.includes(o))&&o!==s&&(!xr.includes(o)||n.every(r=>r===o)))}function ou(e,t){let s=(r,i)=>r.some(([l])=>l===i),n=s(Pt(e,t),t.by)?t.by:"model",o=s(Pt(e,t,n),t.then)?t.then:"";return{...t,by:n,then:o}}function Sr({route:e}){let t=W(),s=gt(),n=ou(t,Et(e.query)),{data:o,error:r,isLoading:i,reload:l}=pr(t,n,s),u=f=>location.hash=Be({...n,...f}),{title:d,text:c}=o?cr({...o.headline,rangeName:ct(n,s)}):{title:"Usage",text:""};return a`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${d}</h1>
          <p class="soft">${c} ${t.hasAdmin?"All keys.":"Usage of your key."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${l}
            disabled=${i}>Refresh</button>
          ${o&&a`<${or} data=${o} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>
            Print
          </button>
        </div>
      </header>
      <${rr} choice=${n} session=${t} onChange=${u} />
      ${o&&a`<${ru} choice=${n} period=${o.period} />`}
      <${T} error=${r} title="No usage" />
      ${!o&&!r&&a`<${A} text="Loading the usage" />`}
      ${o&&a`
        <div class=${`stack wide ${i?"stale":""}`}>
          <${wr} data=${o} />
          <${vr} entries=${o.unpriced} canSet=${t.hasAdmin} />
          <div class="row"><${$e} label="Kind of report" value=${n.tab}
            options=${[["use","By use"],["bill","By bill"]]}
            onChange=${f=>u({tab:f})} /></div>
          ${o.groups.length===0?a`<div class="card empty">No request has ended in this time.</div>`:n.tab==="bill"?a`<${Wo} entries=${o.bill} total=${o.total} />`:a`
              <${iu} data=${o} choice=${n} session=${t} onChange=${u} />
            `}
        </div>
      `}
    </div>
  `}function ru({choice:e,period:t}){let s=Object.entries(Ue(e)).map(([n,o])=>`${n.replace("_"," ")} ${o}`);return a`
    <p class="only-print">
      ${[`${G(t.from)} to ${G(Math.min(t.to,D()))}`,...s].join(", ")}
    </p>
  `}function iu({data:e,choice:t,session:s,onChange:n}){let{by:o,detailed:r,groups:i,hasMore:l,isLatency:u,isTogether:d,period:c,series:f,then:p,total:m}=e,b=u?jo(f,c,m):Bo(f,c,{by:d?null:o,show:_r(t)}),g=e.course!==void 0&&_r(t)==="cost",v=(h,_)=>e.choice.prefix===""?vs(e.choice,c,o,h[o],_):vs(e.choice,c,o,`${e.choice.prefix}:${h[o]}`,_);return a`
    <div class="row spread">
      <div class="row">
        <${$e} label="Group by" value=${t.by} options=${Pt(s,t)}
          onChange=${h=>n({by:h,prefix:""})} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${t.then}
            onChange=${h=>n({then:h.target.value})}>
            <option value="">nothing</option>
            ${Pt(s,t,t.by).map(([h,_])=>a`<option key=${h} value=${h}>${_}</option>`)}
          </select>
        ${o==="tag"&&e.prefixes.length>0&&a`
          <span class="small soft">of</span>
          <select class="inline" aria-label="Prefix of tags" value=${t.prefix}
            onChange=${h=>n({prefix:h.target.value})}>
              <option value="">all tags</option>
              ${e.prefixes.map(h=>a`<option key=${h} value=${h}>${h}:</option>`)}
            </select>
        `}
      </div>
      <${$e} label="Figure of the chart" value=${t.show}
        options=${ps.map(({id:h,name:_})=>[h,_])}
        onChange=${h=>n({show:h})} />
    </div>
    <div class=${g?"usage-charts":""}>
      <${Qo} chart=${b} linkOf=${h=>fr(e.choice,c,h)} />
      ${g&&a`<${mr} data=${e} />`}
    </div>
    ${d&&!u&&a`
      <p class="hint">
        There are ${l?"more than ":""}${$(i.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${o==="tag"&&a`<p class="hint">${Uo(m,i,l)}</p>`}
    <section>
      <${kr} entries=${i} detailed=${r} by=${o} then=${p}
        total=${m}
        linkOf=${v} />
    </section>
  `}function _r({show:e}){return e==="latency"?"requests":e}var Dr={};we(Dr,{default:()=>Ir});var Tr=Object.fromEntries(["requests","input_tokens","cached_input_tokens","cache_write_tokens","cost_usd","unpriced_requests","saved_usd","cache_write_usd","unpriced_cached_requests","response_cache_hits","response_cache_misses","response_cache_saved_usd","unpriced_response_cache_hits","queued_requests","queued_ms","hedged_requests","hedge_usd","unpriced_hedges","price_ordered_requests","price_order_saved_usd","unpriced_price_orders","affinity_hits","affinity_moves","affinity_starts","affinity_input_tokens","affinity_cached_input_tokens","affinity_saved_usd"].map(e=>[e,0]));function ne(e){let{saved_usd:t,cache_write_usd:s,response_cache_saved_usd:n,hedge_usd:o}=e,{price_order_saved_usd:r}=e,i=t-n;return{prompt:i,reads:i+s,writes:s,response:n,order:r,hedges:o,net:t+r-o,unknown:e.unpriced_cached_requests+e.unpriced_response_cache_hits+e.unpriced_hedges+e.unpriced_price_orders}}function Cr(e){let t=N(e),{net:s,unknown:n}=ne(e);return t===null||n>0||e.unpriced_requests>0?null:t+s>0?s/(t+s):null}function Mr(e){return{input:e.input_tokens-e.affinity_input_tokens,cached:e.cached_input_tokens-e.affinity_cached_input_tokens}}function qr(e){return e.affinity_hits+e.affinity_moves+e.affinity_starts}var Ar={prompt:{text:"On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. Most other vendors cache by themselves.",config:`routing:
  prompt_caching: auto`},sessions:{text:"Sends the requests of a session to the target whose cache has its prompt.",config:`routing:
  affinity: { ttl: auto }`},order:{text:"Asks the cheapest of equal targets first. A nested list is a group of equals.",config:`aliases:
  cheapest:
    targets: [[model-a, model-b]]
    balance: price`},response:{text:"Answers equal requests with a temperature of 0 from memory, for each key separately.",config:`routing:
  cache: { ttl: 5m }`},hedges:{text:"Sends the request to a second target if the first one takes unusually long. It costs money and saves time.",config:`routing:
  hedge: { after: p90, share: 5%, usd_per_hour: 2 }`},queue:{text:"Requests wait for a limit instead of getting a 429.",config:`routing:
  queue: { max_wait: 20s }`}};function Rr({total:e}){let t=ne(e);return a`
    <div class="saving-grid">
      <${au} total=${e} amounts=${t} />
      <${lu} total=${e} />
      <${uu} total=${e} amounts=${t} />
      <${cu} total=${e} amounts=${t} />
      <${du} total=${e} amounts=${t} />
      <${fu} total=${e} />
    </div>
  `}function au({total:e,amounts:t}){let{cached_input_tokens:s,cache_write_tokens:n,input_tokens:o}=e;return a`
    <${je}
      id="prompt"
      title="Prompt caching"
      isUsed=${s+n>0}
      value=${k(t.prompt)}
      what="saved, less the cost of writes"
      facts=${[["Reads saved",k(t.reads)],["Writes cost",k(t.writes)],["Cached input",`${C(s,o)}, ${E(s)} of ${E(o)}`],["Written",`${E(n)} tokens`],Ft(e.unpriced_cached_requests)]}
      basis="The vendors' token counts, at their prices."
    />
  `}function lu({total:e}){let{affinity_hits:t,affinity_moves:s,affinity_starts:n}=e,o=Mr(e);return a`
    <${je}
      id="sessions"
      title="Sessions that stay"
      isUsed=${qr(e)>0}
      value=${k(e.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[["Stayed",Er(t)],["Moved",$(s)],["Started",$(n)],["Cached, if stayed",C(e.affinity_cached_input_tokens,e.affinity_input_tokens)],["Cached, others",C(o.cached,o.input)]]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `}function uu({total:e,amounts:t}){return a`
    <${je}
      id="order"
      title="Cheapest first"
      isUsed=${e.price_ordered_requests>0}
      value=${k(t.order)}
      what="saved"
      facts=${[["Requests",$(e.price_ordered_requests)],Ft(e.unpriced_price_orders)]}
      basis="Estimated: the same tokens at the first target in the order of config.yaml."
    />
  `}function cu({total:e,amounts:t}){let{response_cache_hits:s,response_cache_misses:n}=e;return a`
    <${je}
      id="response"
      title="Response cache"
      isUsed=${s+n>0}
      value=${k(t.response)}
      what="saved"
      facts=${[["Hits",`${$(s)}, ${C(s,s+n)}`],["Misses",$(n)],Ft(e.unpriced_response_cache_hits)]}
      basis="What each answer cost when it was made."
    />
  `}function du({total:e,amounts:t}){let{hedged_requests:s,requests:n}=e;return a`
    <${je}
      id="hedges"
      title="Hedges"
      isUsed=${s>0}
      value=${k(t.hedges)}
      what="spent"
      tone=${t.hedges>0?"warn":""}
      facts=${[["Requests",`${$(s)}, ${C(s,n)}`],Ft(e.unpriced_hedges)]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `}function fu({total:e}){let{queued_requests:t,queued_ms:s}=e;return a`
    <${je}
      id="queue"
      title="Queue"
      isUsed=${t>0}
      value=${$(t)}
      what="requests waited"
      facts=${[["Average wait",x(t===0?0:s/t)],["All waits",x(s)]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `}function Er(e){return e===1?"1 request":`${$(e)} requests`}function Ft(e){return e>0?["Unknown price",`${Er(e)}, not included`]:void 0}function je({id:e,title:t,isUsed:s,value:n,what:o,tone:r="",facts:i,basis:l}){return a`
    <section class=${`card saving figure ${r}`} aria-labelledby=${`saving-${e}`}>
      <h2 id=${`saving-${e}`}>${t}</h2>
      ${s?a`
          <p class="figure-line">
            <span class="figure-value">${n}</span>
            <span class="figure-note">${o}</span>
          </p>
          <${Q} class="saving-facts" facts=${i.filter(u=>u)} />
          <p class="hint">${l}</p>
        `:a`<${pu} id=${e} />`}
    </section>
  `}function pu({id:e}){let{text:t,config:s}=Ar[e];return a`
    <p class="soft">No request used it in this time.</p>
    <p class="hint">${t}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${s}</pre>
      <${z} text=${s} label="Copy the settings" isIcon=${!0} class="quiet small" />
    </div>
  `}var $u={model:"Alias or model",provider:"Provider",key:"Key"},mu=[{id:"net",title:"Net saved",isNumber:!0,card:"b",of:e=>ne(e).net,cell:e=>{let{net:t,unknown:s}=ne(e);return`${k(t)}${s>0?" and unknown":""}`}},...[["prompt","Prompt caching"],["response","Response cache"],["order","Cheapest first, est."],["hedges","Hedges cost"]].map(([e,t])=>({id:e,title:t,isNumber:!0,text:k,of:s=>ne(s)[e]||void 0})),{id:"cached",title:"Cached input",isNumber:!0,card:"c",mark:"cached",of:e=>e.input_tokens===0?void 0:e.cached_input_tokens/e.input_tokens,text:e=>C(e,1)},{id:"requests",title:"Requests",isNumber:!0,text:$,of:e=>e.requests},{id:"cost",title:"Cost",of:N,cell:X,isNumber:!0,card:"d"}];function Lr({entries:e,hasMore:t,by:s}){let n=[{id:"name",title:$u[s],of:o=>de(o[s],s),isRisingFirst:!0},...mu];return a`
    <${U} label=${`Savings by ${s}`} columns=${n} rows=${e}
      idOf=${o=>String(o[s])} order=${{id:"net",isRising:!1}} />
    ${t&&a`<p class="hint">The first ${$(e.length)}.</p>`}
  `}var Nr=[["model","Alias or model"],["provider","Provider"],["key","Key"]];function Ir({route:e}){let t=W(),s=t.hasAdmin?Nr:Nr.filter(([p])=>p!=="key"),n=Et(e.query),r=s.some(([p])=>p===n.by)?n:{...n,by:"model"},i=gt(),{data:l,error:u,isLoading:d,reload:c}=hu(t,r,i),f=p=>location.hash=Be({...r,...p},"savings");return a`
    <div class="view" data-view="savings">
      <${te}
        title=${l?.total?gu(l.total):"Savings"}
        note=${t.hasAdmin?"Requests of all keys.":"Requests of your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${c} disabled=${d}>Refresh</button>
      <//>
      <${T} error=${u} title="No savings" />
      ${!l&&!u&&a`<${A} text="Loading the savings" />`}
      ${l&&a`
        <div class=${`stack wide ${d?"stale":""}`}>
          ${l.total&&a`<${bu} total=${l.total} />`}
          ${!l.total&&a`
            <p class="card empty">No request has ended in this time.</p>
          `}
          <${Rr} total=${l.total??Tr} />
          ${l.total&&a`
            <div class="row">
              <${$e}
                label="Group by"
                value=${r.by}
                options=${s}
                onChange=${p=>f({by:p})}
              />
            </div>
            <${Lr} entries=${l.groups} hasMore=${l.hasMore} by=${l.by} />
          `}
        </div>
      `}
    </div>
  `}function hu(e,t,s){let{range:n,from:o,to:r,by:i}=t;return L(async u=>{let d=Lt(nt(t,D(),s),s),c=m=>O(F(e,"usage",{...d,...m}),{signal:u}),[f,p]=await Promise.all([c({}),Pe(async m=>{let{data:b,next:g}=await c({group_by:i,...m});return{part:b,next:g}})]);return{total:f.data[0],groups:p.parts.flat(),hasMore:p.hasMore,by:i}},[e.hasAdmin,n,o,r,i,s])}function gu(e){let{net:t}=ne(e),s=Cr(e);if(t<0)return`Spent ${k(-t)} more than was saved`;let n=s===null?"":`, ${C(s,1)} of what it would have cost`;return`Saved ${k(t)}${n}`}function bu({total:e}){let{net:t,unknown:s}=ne(e);return a`
    <dl class="figure-grid card">
      <${I} label="Saved, net" value=${k(t)}
        note=${s>0?`${$(s)} with an unknown price`:""} />
      <${I}
        label="Cost"
        value=${X(e)}
        note=${e.unpriced_requests>0?`${$(e.unpriced_requests)} with an unknown price`:""}
      />
      <${I} label="Requests" value=${$(e.requests)} />
      <${I}
        label="Cached input"
        value=${C(e.cached_input_tokens,e.input_tokens)}
        note=${`of ${E(e.input_tokens)} tokens`}
      />
    </dl>
  `}var ii={};we(ii,{default:()=>ri});var Ut=[["hour","hour"],["day","day"],["week","week"],["month","month"],["total","whole life"]],Te=[["requests_per_minute","Requests per minute","requests/min"],["tokens_per_minute","Tokens per minute","tokens/min"],["concurrent","Concurrent requests","concurrent"],["requests_per_hour","Requests per hour","requests/h"],["tokens_per_hour","Tokens per hour","tokens/h"],["requests_per_day","Requests per day","requests/day"],["tokens_per_day","Tokens per day","tokens/day"],...["Searches","Images","Characters","Seconds"].flatMap(e=>{let t=e.toLowerCase();return[[`${t}_per_minute`,`${e} per minute`,`${t}/min`],[`${t}_per_day`,`${e} per day`,`${t}/day`]]})],Bt=3;function ve(e){let{models:t,limits:s,budget:n,expires:o}=e??{};return{name:e?.name??"",models:(t??[]).join(`
`),...Object.fromEntries(Te.map(([r])=>[r,String(s?.[r]??"")])),usd:String(n?.usd??""),per:n?.per??"month",unknownPrices:n?.unknown_prices,expires:o==null?"":new Date(o*1e3).toISOString().slice(0,10),...Object.fromEntries(Pr.map(r=>[r,e?.[r]??""]))}}var Pr=["owner","team","note"];function Fr(e){let t=Object.entries(xs(e)).filter(([,s])=>s!==null);return{name:e.name.trim(),...Object.fromEntries(t)}}function jt(e,t){let s=xs(ve(t));return Object.fromEntries(Object.entries(xs(e)).filter(([n,o])=>JSON.stringify(o)!==JSON.stringify(s[n])))}function xs(e){let t=e.models.split(/[\n,]/).map(n=>n.trim()).filter(n=>n!==""),s=Te.filter(([n])=>e[n].trim()!=="");return{models:t.length===0?null:t,limits:s.length===0?null:Object.fromEntries(s.map(([n])=>[n,Ur(e[n])])),budget:e.usd.trim()===""?null:vu(e),expires:e.expires===""?null:e.expires,...Object.fromEntries(Pr.map(n=>[n,e[n].trim()||null]))}}function vu({usd:e,per:t,unknownPrices:s}){let n={usd:Ur(e),per:t};return s===void 0?n:{...n,unknown_prices:s}}function Ur(e){let t=Number(e);return Number.isFinite(t)?t:e}function He(e){return Te.flatMap(([t,,s])=>e?.[t]==null?[]:[`${$(e[t])} ${s}`])}function oe({usd:e,per:t}){let s=t==="total"?"in total":t==="hour"?"an hour":`a ${t}`;return`${k(e)} ${s}`}function Br(e,{origin:t,hasKey:s}){let{budget:n,expires:o,key:r,models:i,name:l,owner:u}=e,d=[`It may use ${i===null?"all models":i.join(", ")}`,n===null?"":`, up to ${oe(n)}`,o===null?"":`, until ${new Date(o*1e3).toISOString().slice(0,10)}`];return[...u===null?[]:[`Hello ${u},`],`your key "${l}" for our model gateway is ready. ${d.join("")}.`,`Address: ${t}/v1`,`Usage and budget: ${t}/ (sign in with the key)`,s?`Key: ${r}`:"The key itself follows separately."].join(`
`)}function jr({status:e,previous_valid_until:t},s){return e==="active"&&t!=null&&t*1e3>s?t:void 0}function Ht({fields:e,onChange:t,isNew:s,knownTeams:n=[]}){let o=u=>d=>t({...e,[u]:d.target.value}),r=(u,d)=>a`
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
    `,[i]=w(()=>Te.slice(Bt).some(([u])=>e[u]!=="")),l=(u,d,c=[])=>a`
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
          ${Ut.map(([u,d])=>a`<option key=${u} value=${u}>${d}</option>`)}
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
        ${Te.slice(0,Bt).map(([u,d])=>r(u,d))}
      </div>
      <details class="more-limits" open=${i}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${Te.slice(Bt).map(([u,d])=>r(u,d))}
        </div>
      </details>
    </fieldset>
  `}function Ce(e){let[t,s]=w({isBusy:!1,error:void 0});return{...t,start:async o=>{if(o.preventDefault(),!t.isBusy){s({isBusy:!0,error:void 0});try{await e(),s({isBusy:!1,error:void 0})}catch(r){s({isBusy:!1,error:r})}}}}}function ye({id:e}){return`/v1/admin/keys/${encodeURIComponent(e)}`}function Hr({entry:e,onChanged:t,onClose:s}){let[n,o]=w(()=>ve(e)),{isBusy:r,error:i,start:l}=Ce(async()=>{let u=jt(n,e);Object.keys(u).length>0&&(await O(ye(e),{method:"PATCH",body:u}),t()),s()});return a`
    <${j} title=${`Edit ${e.name}`} onClose=${s}>
      <form class="stack" onSubmit=${l}>
        <${Ht} fields=${n} onChange=${o} isNew=${!1} />
        <${T} error=${i} title="Not changed" />
        <${_s} text="Save" isBusy=${r} onClose=${s} />
      </form>
      <//>
  `}function Kr({entry:e,onChanged:t,onClose:s}){let[n,o]=w("1h"),[r,i]=w(void 0),{isBusy:l,error:u,start:d}=Ce(async()=>{let c={overlap:n.trim()||"0s"};i(await O(`${ye(e)}/rotate`,{body:c})),t()});return r!==void 0?a`<${yu} entry=${r} onClose=${s} />`:a`
    <${j} title=${`Rotate ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${d}>
        <p>The key gets a new text. Its name, settings and usage stay.</p>
        <div class="field">
          <label for="rotate-overlap">The text before stays valid for</label>
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
        <${T} error=${u} title="Not rotated" />
        <${_s} text="Rotate" isBusy=${l} onClose=${s} />
      </form>
      <//>
  `}function Wr({entry:e,onChanged:t,onClose:s}){let{isBusy:n,error:o,start:r}=Ce(async()=>{await O(ye(e),{method:"DELETE"}),t(),s()});return a`
    <${j} title=${`Revoke ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${r}>
        <p>
          Requests with the key <strong class="wrap-anywhere">${e.name}</strong> are refused from
          now on. This cannot be undone. Its name stays taken, and its usage is kept.
        </p>
        <${T} error=${o} title="Not revoked" />
        <${_s} text="Revoke key" isBusy=${n} onClose=${s} tone="destructive" />
      </form>
      <//>
  `}function _s({text:e,isBusy:t,onClose:s,tone:n=""}){return a`
    <div class="row end">
      <button type="button" onClick=${s}>Cancel</button>
      <button type="submit" class=${`primary ${n}`} disabled=${t}>${e}</button>
    </div>
  `}function yu({entry:e,onClose:t}){return a`
    <${j} title=${`The key ${e.name}`} onClose=${t} class="narrow" isHeld=${!0}>
      <div class="stack">
        <p>Copy the key now. It is not stored and cannot be shown again.</p>
        <div class="row key-text">
          <code class="wrap-anywhere" data-secret="key">${e.key}</code>
          <${z} text=${e.key} label="Copy" class="primary" />
        </div>
        <div class="row end">
          <button type="button" onClick=${t}>I have copied it</button>
        </div>
      </div>
      <//>
  `}var Kt=.9,ku=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeZone:"UTC"}),wu=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeStyle:"short",timeZone:"UTC"});function rt({limit_usd:e,spent_usd:t,...s}){let n=e>0?t/e:1,o=n>=1?"bad":n>=Kt?"warn":"good",{forecast_usd:r,renews_at:i,unpriced_requests:l}=s,u=[i&&`renews ${Jr(i)}`,r!==null&&t>0&&`at this rate ${k(r)}${r>e?", more than the budget":""}`,l>0&&`${$(l)} requests of an unknown price`].filter(d=>d);return{tone:o,share:n,notes:u}}function Wt({budget:e,status:t,usage:s}){if(e===null||!s?.budget||t==="revoked")return;let{limit_usd:n,spent_usd:o}=s.budget;return n>0?o/n:1}function Gt(e){return(Wt(e)??0)>=Kt}function Gr(e){let t=e.filter(({status:u})=>u!=="revoked"),s=t.filter(Gt),n=t.filter(u=>(Wt(u)??0)>=1),o=`${$(t.length)} ${t.length===1?"key":"keys"}`,r=s.length===0?t.some(({budget:u})=>u!==null)?`No key is over ${100*Kt} % of its budget`:`${o}, none with a budget`:`${$(s.length)} of ${o} ${s.length===1?"is":"are"} over ${100*Kt} % of ${s.length===1?"its budget":"their budgets"}`,i=n[0]?.usage.budget.renews_at,l=n.length===0?s.length===0&&t.length>0?`${o} in total.`:"":`${n.length===1?"It has":`${$(n.length)} have`} used it up and ${n.length===1?"is":"are"} refused with 429${n.length===1&&i?` until ${Jr(i)}`:""}.`;return{title:r,text:l,used:n.length===1?n[0]:void 0}}function Xr(e){let t=e.filter(({status:l})=>l!=="revoked"),s=t.flatMap(({usage:l})=>l?.budget??[]),n=(l,u)=>l.reduce((d,c)=>d+c[u],0),o=e.flatMap(({usage:l})=>l?.last_used??[]).sort(),r=Math.max(0,...e.map(({usage:l})=>l?.days.length??0)),i=Array.from({length:r},(l,u)=>{let d=e.flatMap(({usage:c})=>c?.days[u]??[]);return{requests:n(d,"requests"),cost_usd:n(d,"cost_usd")}});return{active:t.length,near:t.filter(Gt).length,days:i,lastUsed:o.at(-1),budget:n(s,"limit_usd"),spent:n(s,"spent_usd"),owners:[...new Set(e.flatMap(({owner:l})=>l??[]))].sort()}}function Jr(e){let t=new Date(e);return e.includes("T00:00:00")?ku.format(t):`${wu.format(t)} UTC`}function it(e){let t=s=>e.reduce((n,o)=>n+o[s],0);return`${e.length} days: ${$(t("requests"))} requests, ${k(t("cost_usd"))}`}function Xt({budget:e,spending:t}){if(!t)return a`${oe(e)}`;let{tone:s,notes:n,share:o}=rt(t),{forecast_usd:r,limit_usd:i,spent_usd:l}=t,u=[`${k(l)} of ${oe(e)}`,...n].join(", "),d=r!==null&&r>i;return a`
    <span class="budget" title=${u}>
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
  `}var Vr=new Map([["expired","warn"],["disabled","bad"]]);function at({id:e}){return`#/keys/${encodeURIComponent(e)}`}function Ss(e){return`#/keys/team/${encodeURIComponent(e)}`}function Os({entry:e}){let{reason:t,status:s}=e,n=jr(e,Date.now());return a`
    <span class=${Vr.has(s)?`badge ${Vr.get(s)}`:"soft"} title=${t??""}
    >${s}</span>
    ${n&&a`
      <span class="small soft"> the text before is valid until ${new Date(n*1e3).toLocaleTimeString("en-GB")}</span>
    `}
  `}var xu=({usage:e})=>e?.days.reduce((t,{requests:s})=>t+s,0),_u=[{id:"name",title:"Key",of:({name:e})=>e,isRisingFirst:!0,card:"a"},{id:"team",title:"Team",of:({team:e})=>e,isRisingFirst:!0,panel:"low",text:e=>a`<a href=${Ss(e)}><${ie} text=${e} /></a>`},{id:"owner",title:"Owner",of:({owner:e})=>e,isRisingFirst:!0,panel:"low"},{id:"share",title:"Of the budget",of:Wt,card:"c",hint:"Spent in the current period; an arrow means that the forecast passes the budget",cell:({budget:e,usage:t})=>e&&a`<${Xt} budget=${e} spending=${t?.budget} />`},{id:"spent",title:"Spent",isNumber:!0,card:"b",of:({usage:e})=>e?.budget?.spent_usd,text:k},{id:"used",title:"Last used",card:"d",hint:"The last day in UTC with a request, of the last 30 days",of:({usage:e})=>e?.last_used},{id:"requests",title:"Requests, 30 d",of:xu,text:$,isNumber:!0},{id:"limits",title:"Limits",isProse:!0,of:({limits:e})=>He(e).join(", ")},{id:"status",title:"Status",of:({status:e})=>e,cell:e=>a`<${Os} entry=${e} />`},{id:"created",title:"Created",of:({created:e})=>e??"config.yaml",text:e=>typeof e=="number"?Ye(e):a`<code>config.yaml</code>`},{id:"prefix",title:"Begins with",of:({prefix:e})=>e,isRisingFirst:!0,text:e=>a`<code>${e}…</code>`}];function Ke({source:e,status:t}){return e==="store"&&t!=="revoked"}function Jt({keys:e,marks:t,onAction:s}){return a`
    <${U} label="Keys" columns=${_u} rows=${e} idOf=${({id:o})=>o}
      hrefOf=${at} actionsOf=${o=>[{text:"Open",href:at(o)},{text:"Requests",href:`#/requests?${new URLSearchParams({key:o.name})}`},{text:"Copy name",copy:o.name},...Ke(o)?[{text:"Edit",run:()=>s("edit",o)},{text:"Rotate",run:()=>s("rotate",o)},{text:"Revoke",run:()=>s("revoke",o),isDanger:!0}]:[]]} order=${{id:"share",isRising:!1}}
      marks=${t} classOf=${({status:o})=>o==="revoked"?"revoked":""} />
  `}function Yr({keys:e,onAction:t,onClear:s}){let n=e.reduce((i,{usage:l})=>i+(l?.budget?.spent_usd??0),0),o=e.some(Ke),r=(i,l,u="")=>a`
      <button type="button" class=${`small ${u}`} disabled=${!o}
        onClick=${()=>t(i)}>${l}</button>
    `;return a`
    <div class="row bulk" role="status">
      <span><strong>${$(e.length)} selected</strong>, ${k(n)} spent together</span>
      ${r("budget","Change budget")} ${r("team","Change team")}
      ${r("revoke","Revoke","danger")}
      <button type="button" class="quiet small" onClick=${s}>Clear</button>
    </div>
  `}var Zr={budget:"Change the budget",team:"Change the team",revoke:"Revoke"};function Qr({kind:e,keys:t,onChanged:s,onClose:n}){let o=t.filter(Ke),[r,i]=w({usd:"",per:"month",team:""}),[l,u]=w(0),d=b=>g=>i({...r,[b]:g.target.value}),{isBusy:c,error:f,start:p}=Ce(async()=>{try{for(let[b,g]of o.slice(l).entries())await Ou(e,g,r),u(l+b+1)}finally{s()}n()}),m=t.length-o.length;return a`
    <${j} title=${`${Zr[e]} of ${$(o.length)} keys`} onClose=${n}
      class="narrow">
      <form class="stack" onSubmit=${p}>
        <p class="wrap-anywhere">${o.slice(0,8).map(({name:b})=>b).join(", ")}${o.length>8?`, and ${$(o.length-8)} more`:""}</p>
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
        ${e==="budget"&&a`<${Su} fields=${r} set=${d} />`}
        <${T} error=${f}
          title=${`${$(l)} of ${$(o.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class=${`primary ${e==="revoke"?"destructive":""}`}
            disabled=${c||o.length===0}
          >${c?`${$(l)} of ${$(o.length)}`:Zr[e]}</button>
        </div>
      </form>
      <//>
  `}function Su({fields:e,set:t}){return a`
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
  `}async function Ou(e,t,{team:s,usd:n,per:o}){if(e==="revoke")return await O(ye(t),{method:"DELETE"});let r=e==="team"?{team:s}:{usd:n,per:o},i=jt({...ve(t),...r},t);if(Object.keys(i).length!==0)return await O(ye(t),{method:"PATCH",body:i})}var Tu="The key is not shown again.",Cu="What you have typed is lost.";function zr({onCreated:e,teams:t}){let[s,n]=w(ve),[o,r]=w(void 0),i=JSON.stringify(s)!==JSON.stringify(ve()),{isBusy:l,error:u,start:d}=Ce(async()=>{r(await O("/v1/admin/keys",{body:Fr(s)})),e()});if(o!==void 0)return a`<${Mu} entry=${o} />`;let c=f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&d(f)};return a`
    <${ke} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${i&&a`<${ei} text=${Cu} />`}
    <form class="stack key-page" onSubmit=${d} onKeyDown=${c}>
      <${Ht} fields=${s} onChange=${n} isNew=${!0} knownTeams=${t} />
      <${T} error=${u} title="Not created" />
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
  `}function ei({text:e}){let[t,s]=w(void 0),n=P(()=>{});return B(()=>{n.current=tn(s);let r=i=>i.preventDefault();return addEventListener("beforeunload",r),()=>{n.current(),removeEventListener("beforeunload",r)}},[]),t===void 0?null:a`
    <${j} title="Leave this page?" onClose=${()=>s(void 0)} class="narrow"
      isHeld=${!0}>
      <p>${e}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${()=>s(void 0)}>Stay</button>
        <button type="button" class="danger" onClick=${()=>{n.current(),location.hash=t}}>Leave</button>
      </div>
      <//>
  `}function Mu({entry:e}){let{expires:t,key:s,limits:n,models:o,name:r,note:i,owner:l,team:u}=e,d=[["Team",u],["Owner",l],["Note",i],["Models",o===null?"all":o.join(", ")],["Budget",e.budget===null?"none":oe(e.budget)],["Limits",He(n).join(", ")||"default"],["Expires",t===null?"never":new Date(t*1e3).toISOString().slice(0,10)]].filter(([,p])=>p!==null),[c,f]=w(!1);return B(()=>{c&&(location.hash="#/keys")},[c]),a`
    ${!c&&a`<${ei} text=${Tu} />`}
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
            <${z} text=${s} label="Copy key" class="primary" />
          </div>
        </section>
        <${qu} keyText=${s} />
        <${Ru} entry=${e} />
      </div>
      <aside class="stack wide">
        <section class="card stack padded">
          <h2>What it may</h2>
          <${Q} facts=${d} class="key-facts" />
        </section>
        <button type="button" class="primary" onClick=${()=>f(!0)}>I have copied it</button>
        <p class="small soft">This page closes only here. Back and links ask first.</p>
      </aside>
    </div>
  `}function qu({keyText:e}){let[t,s]=w(""),n=new URLSearchParams({os:ti(),origin:location.origin}),{data:o,error:r}=L(l=>O(`/v1/clients?${n}`,{key:e,signal:l}),[e]),i=o?.data.find(l=>l.id===t)??o?.data[0];return a`
    <section class="stack" aria-label="Settings of the client">
      <h2>2. Settings of the client</h2>
      <${T} error=${r} title="The settings cannot be shown" />
      ${o?.data.length===0&&a`
        <p class="soft">The key may use no model that answers chats.</p>
      `}
      ${i!==void 0&&a`
        <label class="row">Client
          <select value=${i.id} onChange=${l=>s(l.target.value)}>
            ${o.data.map(l=>a`<option key=${l.id} value=${l.id}>${l.title}</option>`)}
          </select>
        </label>
        ${Au(i,e).map(({title:l,text:u})=>a`
            <div key=${l} class="stack">
              <div class="row spread"><code>${l}</code>
                <${z} text=${u} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${l}>${u}</pre>
            </div>
          `)}
      `}
    </section>
  `}function Au({files:e,steps:t},s){let n="SLUICE_API_KEY";return[{title:"Key in the environment",text:ti()==="windows"?`setx ${n} ${s}`:`export ${n}=${s}`},...e.map(({path:i,text:l})=>({title:i,text:l})),...t.length===0?[]:[{title:"Steps",text:t.join(`
`)}]]}function ti(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function Ru({entry:e}){let[t,s]=w(!1),n=Br(e,{origin:location.origin,hasKey:t});return a`
    <section class="stack" aria-label="A message to send">
      <div class="row spread">
        <h2>3. A message to send</h2>
        <label class="check">
          <input type="checkbox" checked=${t} onChange=${()=>s(!t)} />
          with the key in it
        </label>
        <${z} text=${n} label="Copy message" class="small" />
      </div>
      <pre class="code-box" tabindex="0" aria-label="Message">${n}</pre>
    </section>
  `}function si({id:e,version:t,onAction:s}){let{data:n,error:o}=L(c=>O(ye({id:e}),{signal:c}),[e,t]);if(!n)return a`
      <${ke} text=${e} />
      <h1>Key</h1>
      <${T} error=${o} title="The key cannot be shown" />
      ${!o&&a`<${A} text="Loading the key" />`}
    `;let{budget:r,name:i,usage:l}=n,u=l?.days??[],d=c=>new URLSearchParams({[c]:i});return a`
    <${ke} text=${i} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${Eu(n)}</h1>
        <p class="soft"><${Os} entry=${n} />${l?.last_used?`, last used on ${l.last_used}`:l?", not used in 30 days":""}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/requests?${d("key")}`}>Requests</a>
        <a class="button" href=${`#/usage?${d("key")}`}>Usage</a>
        ${Ke(n)&&[["edit","Edit"],["rotate","Rotate"],["revoke","Revoke"]].map(([c,f])=>a`
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
            <${Xt} budget=${r} spending=${l?.budget} />
            <p class="soft">${l?.budget&&rt(l.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${it(u).replace(/^.*?: /,"")}</p>
          <${Ts} days=${u} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${Q} facts=${Lu(n)} class="key-facts" />
      </aside>
    </div>
  `}function Eu({name:e,usage:t}){if(!t?.budget)return e;let{share:s}=rt(t.budget);return s>=1?`${e} has used up its budget`:`${e} has spent ${Math.floor(100*s)} % of its budget`}function Ts({days:e}){let t=Math.max(1,...e.map(({requests:s})=>s));return a`
    <div class="day-bars" role="img" aria-label=${it(e)}>
      ${e.map(({cost_usd:s,requests:n},o)=>a`
          <span key=${o} title=${`${$(n)} requests, ${k(s)}`}
            style=${{height:`${100*n/t}%`}}></span>
        `)}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${$(t)} ${t===1?"request":"requests"} a day</span><span>today, UTC</span></div>
  `}function Lu(e){let{budget:t,created:s,expires:n,limits:o,models:r,note:i,owner:l,prefix:u,source:d,team:c}=e;return[["Team",c&&a`<a href=${Ss(c)}>${c}</a>`],["Owner",l],["Note",i],["Begins with",u&&a`<code>${u}…</code>`],["Models",r===null?"all":r.join(", ")],["Limits",He(o).join(", ")||"default"],["Budget",t===null?"none":oe(t)],["Priority",e.priority],["Weight",e.weight],["Created",d==="config"?"in config.yaml":Ye(s)],["Expires",n===null?"never":Ye(n)]].filter(([,f])=>f!=null)}function ni({name:e,keys:t,error:s,onAction:n}){if(!t)return a`
      <${ke} text=${e} />
      <h1>Team</h1>
      <${T} error=${s} title="The team cannot be shown" />
      ${!s&&a`<${A} text="Loading the team" />`}
    `;let o=t.filter(({team:b})=>b===e),{active:r,budget:i,days:l,lastUsed:u,near:d,owners:c,spent:f}=Xr(o),p=new URLSearchParams({team:e}),m=[["Keys",$(r)],["Over 90 %",d>0&&`${$(d)} ${d===1?"key":"keys"}`],["Budgets",i>0&&`${k(f)} of ${k(i)} spent`],["Owners",c.length>0&&c.join(", ")],["Last used",u??"not in 30 days"]].filter(([,b])=>b);return a`
    <${ke} text=${e} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${e}: ${$(r)} ${r===1?"key":"keys"}${d>0?`, ${$(d)} over 90 % of ${d===1?"its budget":"their budgets"}`:""}</h1>
        <p class="soft">${it(l)}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/usage?${p}`}>Usage</a>
      </div>
    </header>
    <div class="hand-over">
      <section class="card stack padded">
        <h2>The last 30 days</h2>
        <${Ts} days=${l} />
      </section>
      <aside class="card stack padded">
        <h2>Team</h2>
        <${Q} facts=${m} class="key-facts" />
      </aside>
    </div>
    ${o.length===0?a`<div class="card empty">No key has this team.</div>`:a`<${Jt} keys=${o} onAction=${n} />`}
  `}function ri({route:e}){let{hasAdmin:t}=W();return a`
    <div class="view" data-view="keys">
      ${t?a`<${Du} path=${e.path} query=${e.query} />`:a`
        <${te} title="Keys" />
        <${ft} what="Managing keys needs an admin key." />
      `}
    </div>
  `}var Iu={edit:Hr,rotate:Kr,revoke:Wr};function Du({path:[e,t],query:s}){let[n,o]=w(!1),[r,i]=w(null),[l,u]=w(0),d=L(b=>dt({revoked:n,usage:!0},b),[n,l]),c=()=>u(b=>b+1),f=(b,g)=>i({type:b,entry:g}),p=K(()=>Pu(d.data??[],"team"),[d.data]),m=r&&Iu[r.type];return a`
    ${e==="new"?a`<${zr} onCreated=${c} teams=${p} />`:t!==void 0?a`
        <${ni} name=${t} keys=${d.data} error=${d.error} onAction=${f} />
      `:e!==void 0?a`<${si} id=${e} version=${l} onAction=${f} />`:a`
        <${Fu} ...${d} search=${s.get("search")??""} onAction=${f}
          onChanged=${c} showsRevoked=${n} onRevoked=${o} />
      `}
    ${r&&a`
      <${m} entry=${r.entry} onChanged=${c}
        onClose=${()=>i(null)} />
    `}
  `}function Pu(e,t){return[...new Set(e.map(s=>s[t]).filter(s=>s))].sort()}var oi=[["all","All",()=>!0],["near","Over 90 %",Gt],["unused","Not used in 30 d",({status:e,usage:t})=>e==="active"&&!t?.last_used]];function Fu(e){let{data:t,error:s,isLoading:n,showsRevoked:o,onRevoked:r,onAction:i,onChanged:l}=e,[u,d]=w(e.search),[c,f]=w("all"),[p,m]=w(()=>new Set),[b,g]=w(void 0),v=s?.code==="store_required",[,,h]=oi.find(([R])=>R===c),_=Hu(u),y=K(()=>(t??[]).filter(R=>h(R)&&ju(R,_)),[t,c,_]),S=e.search.startsWith("sk-")&&u===e.search&&y.length===1?at(y[0]):void 0;B(()=>S&&location.replace(S),[S]);let q=y.filter(({id:R})=>p.has(R)),V={ids:p,onToggle:R=>m(new Set(p.has(R)?[...p].filter(re=>re!==R):[...p,R])),onAll:R=>m(new Set(R?y.map(({id:re})=>re):[]))};return a`
    <${Uu} keys=${t}>
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
      `:a`<${T} error=${s} title="The keys cannot be listed" />`}
    ${!t&&!s&&a`<${A} text="Loading the keys" />`}
    ${t&&a`
      <div class="row">
        <${$e} label="Which keys" value=${c} onChange=${f}
          options=${oi.map(([R,re,lt])=>[R,`${re} ${$(t.filter(lt).length)}`])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${!1}
          placeholder="Name, team, owner, note, or a key" value=${u}
          onInput=${R=>d(R.target.value)} />
      </div>
      ${q.length>0&&a`
        <${Yr} keys=${q} onAction=${g} onClear=${()=>m(new Set)} />
      `}
      ${y.length===0?a`<div class="card empty" role="status">${Bu(t,_)}</div>`:a`
          <div class=${n?"stale":""}>
            <${Jt} keys=${y} marks=${V} onAction=${i} />
          </div>
        `}
    `}
    ${b&&a`
      <${Qr} kind=${b} keys=${q} onChanged=${l}
        onClose=${()=>g(void 0)} />
    `}
  `}function Uu({keys:e,children:t}){let{title:s,text:n,used:o}=e?Gr(e):{title:"Keys",text:""};return a`
    <header class="view-head">
      <div class="view-title">
        <h1>${s}</h1>
        <p class="soft">${o&&a`
          <a class="wrap-anywhere" href=${at(o)}>${o.name}</a>:
        `}${n}</p>
      </div>
      <div class="view-tools">${t}</div>
    </header>
  `}function Bu(e,t){return t!==""?"No key has this text in its name, team, owner or note, or begins with it.":e.length===0?"No keys yet. Create one for each application or team.":"No key is like that."}function ju({name:e,note:t,owner:s,prefix:n,team:o},r){let i=r.toLowerCase();return[e,t,s,n,o].some(l=>l?.toLowerCase().includes(i))}function Hu(e){let t=e.trim();return t.startsWith("sk-")?t.slice(0,18):t}export{ii as keys,hn as overview,io as requests,Dr as savings,go as sessions,Ao as status,Or as usage};
