import{b as it,f as Is}from"./shared3.js";import{A as H,B as Dt,D as Pt,E as Ms,F as As,G as Rs,H as Es,I as Ls,J as rt,a as j,b as It,c as ve,d as Ss,e as I,f as P,g as Y,h as st,i as L,j as ce,k as Nt,l as Os,m as Be,n as te,o as Ts,p as Ue,q as nt,r as ke,s as q,t as ot,u as Cs,v as se,w as J,x as He,y as qs,z as je}from"./shared2.js";import{$ as ks,A as Et,D as T,E as ee,F as ms,G as Z,H as G,I as le,J as he,K as E,M as $,N as A,O as w,P as y,Q as C,R as Fe,S as hs,U as gs,V as Qe,W as bs,X as ge,Y as Lt,Z as ys,_ as vs,a as me,c as k,d as U,da as D,e as ps,f as F,g as W,ga as be,ha as ws,i,ia as X,j as N,ja as Te,ka as ye,pa as et,qa as _s,ra as tt,sa as xs,u as $s,v as S,va as Ce,y as ue}from"./shared1.js";var Js={};me(Js,{default:()=>Xs});var Ns={hour:"2-digit",minute:"2-digit"},Ds={day:"numeric",month:"short",...Ns};function Sr(e){let t=({incident:s,recent:n})=>s?.failures??n.failures;return e.toSorted((s,n)=>bs(s.state,n.state)||t(n)-t(s))}function qe(e){return Sr(e.filter(({state:t})=>Qe(t)))}function Ps({at:e,reading:t,since:s,targets:n}){let o=Date.parse(e),[r,...a]=qe(n);if(r===void 0)return{title:Or(n),text:Tr(s,t)};let u=[`${qr(ge(r,o))}.`,Lt(r)&&`${Lt(r)}.`,a.length>0&&`${a.length} more ${a.length===1?"target needs":"targets need"} a look.`],l=r.since===null?"":` since ${we(r.since,o)}`;return{title:`${Cr(r)} ${gs.get(r.state).verb}${l}`,text:u.filter(d=>d).join(" ")}}function Or(e){let t=e.filter(({state:s})=>s!=="unused");return t.length===0?"No target has been asked in 24 hours":t.length===1?"The only used target is OK":`All ${t.length} used targets are OK`}function Tr(e,t){return t?"The last day is still being read from the ledger.":`Known since ${be(D(),Ds).format(new Date(e))}.`}function Cr({provider:e,upstream:t}){return t===""?e:`${e} ${t}`}function we(e,t){let s=t-Date.parse(e)<72e6;return be(D(),s?Ns:Ds).format(new Date(e))}function qr(e){return e.charAt(0).toUpperCase()+e.slice(1)}function Ft(e){let t=new Map;for(let s of e)for(let[n,o,r]of s){let[a,u]=t.get(n)??[0,0];t.set(n,[a+o,u+r])}return t}function Bt(e,t,s,n=1){let o=Math.floor(t/s),r=[],a=[];for(let u=0;u<288;u++){let[l,d]=e.get((o-288+1+u)*s)??[0,0];if(l===0&&a.push(`M${u} 95h1v5h-1z`),d===0)continue;let c=Math.min(1,d/l/n),f=Math.round(Math.max(12,100*c));r.push(`M${u} ${100-f}h.8v${f}h-.8z`)}return{failed:r.join(""),quiet:a.join("")}}function Fs(e){let t=0;for(let[s,n]of e.values())t=Math.max(t,s===0?0:n/s);return[.02,.04,.1,.2,.5].find(s=>t<=s)??1}function Ut(e,t,s){let o=1-((Math.floor(t/s)+1)*s-e)/(288*s);return o<0?void 0:100*o}var Mr=6,Ht=36e5;function Hs({health:e}){let{cell_ms:t,changes:s,reading:n,since:o,targets:r}=e,a=Date.parse(e.at),u=Ft(r.map(({cells:c})=>c)),l=Fs(u),d=Date.parse(o);return i`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, 24 h</h2>
        <span class="faint small">
          5 min a cell, this process${Lr(d,a,n)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${Bs}
          class="tall"
          label=${`All targets: ${Us(u)}`}
          paths=${Bt(u,a,t,l)}
          top=${l}
        >
          ${s.map(({kind:c,text:f,time:p},m)=>i`
              <${Rr} key=${m} kind=${c} text=${`${f}, ${we(p,a)}`}
                at=${Ut(Date.parse(p),a,t)} />
            `)}
        <//>
        <div class="strip-end"></div>
        ${Ar(r).map(({name:c,own:f,worst:p})=>{let m=Ft(f.map(({cells:v})=>v)),g=js(f.map(v=>v.recent));return i`
            <div class="strip-name" key=${c}>
              <a class="clip" href="#/status" title=${c}>${c}</a>
              <${Ce} state=${p.state} isShort=${!0} />
            </div>
            <${Bs} key=${`${c} strip`} label=${`${c}: ${Us(m)}`}
              paths=${Bt(m,a,t)} />
            <div class="strip-end small" key=${`${c} now`}>${g.attempts===0?"no traffic":`${C(g.failures,g.attempts)} now`}</div>
          `})}
        <div class="strip-name"></div>
        <${Er} end=${a} cellMs=${t} />
        <div class="strip-end"></div>
      </div>
    </section>
  `}function Ar(e){return[...new Set(qe(e).map(({provider:s})=>s))].slice(0,Mr).map(s=>{let n=e.filter(({provider:o})=>o===s);return{name:s,own:n,worst:qe(n)[0]}})}function Bs({children:e,class:t="",label:s,paths:{failed:n,quiet:o},top:r}){return i`
    <div class=${`strip ${t}`} role="img" aria-label=${s}>
      ${r!==void 0&&i`<span class="strip-top">${C(r,1)}</span>`}
      <svg viewBox="0 0 288 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="quiet" d=${o} />
        <path d=${n} />
      </svg>
      ${e}
    </div>
  `}function Rr({kind:e,text:t,at:s}){return s===void 0?null:i`
    <span class=${`strip-mark ${e}`} style=${{left:`${s}%`}} title=${t}>
      <span class="only-read">${t}</span>
    </span>
  `}function Er({end:e,cellMs:t}){let s=[];for(let n=e-e%(6*Ht);s.length<4;n-=6*Ht)s.unshift(n);return i`
    <div class="strip-axis small faint" aria-hidden="true">
      ${s.map(n=>{let o=Ut(n,e,t);return o!==void 0&&o>3&&o<88&&i`
          <span key=${n} style=${{left:`${o}%`}}>${we(new Date(n).toISOString(),e).slice(-5)}</span>
        `})}
      <span class="now">now</span>
    </div>
  `}function Lr(e,t,s){return s?"; the ledger is still being read":t-e<23*Ht?`, begins at ${we(new Date(e).toISOString(),t)}`:", from the ledger"}function Us(e){let{attempts:t,failures:s}=js([...e.values()].map(([n,o])=>({attempts:n,failures:o})));return`${s} of ${t} attempts failed in 24 hours`}function js(e){return e.reduce((t,{attempts:s,failures:n})=>({attempts:t.attempts+s,failures:t.failures+n}),{attempts:0,failures:0})}var Ir=5e3,Nr=6e4,Ws=6e5,Gs=5;function Xs(){let{hasAdmin:e}=j();return e?i`<${Dr} />`:i`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${st} what="The overview is about all keys: it needs an admin key." />
      </div>
    `}function Ks(e,t){let s=I(e,[]);return ve(s.reload,t),s}function Dr(){let{data:e,error:t}=Ks(r=>S("/v1/admin/health",{signal:r}),Ir),{data:s}=Ks(Pr,Nr);if(e===void 0)return i`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${t?i`<${T} error=${t} title="No health" />`:i`<${E} text="Reading the health of targets" />`}
      </div>
    `;let{text:n,title:o}=Ps(e);return i`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${o}</h1>
        <p class="soft">${n}</p>
      </header>
      <${Fr} health=${e} day=${s} />
      <${Hs} health=${e} />
      <div class="two">
        <${Br} health=${e} />
        <${Hr} day=${s} />
      </div>
    </div>
  `}async function Pr(e){let t=N(),s=new Date(X(t,D())).toISOString(),n=new Date(t-Ws).toISOString(),[o,r,a]=await Promise.all([S(`/v1/admin/request_counts?${new URLSearchParams({from:n})}`,{signal:e}),S(`/v1/admin/usage?from=${encodeURIComponent(s)}&group_by=key,model&limit=1000`,{signal:e}),S(`/v1/admin/usage?from=${encodeURIComponent(s)}`,{signal:e})]);return{counts:o.data,keys:r.data,total:a.data[0]}}function Fr({health:e,day:t}){let s=t?.counts.reduce((r,{requests:a,errors:u})=>({requests:r.requests+a,errors:r.errors+u}),{requests:0,errors:0}),n=e.targets.filter(({recent:r})=>r.attempts>0).toSorted((r,a)=>a.recent.attempts-r.recent.attempts)[0],o=s!==void 0&&s.requests>0&&s.errors/s.requests>=.05;return i`
    <dl class="overview-figures">
      <${at}
        label="Requests per minute"
        value=${s&&Fe(s.requests/(Ws/6e4))}
        note="mean of 10 min"
      />
      <${at}
        label="Failed requests, 10 min"
        value=${s&&C(s.errors,s.requests)}
        note=${s&&`${$(s.errors)} of ${$(s.requests)}`}
        isBad=${o}
        href="#/requests?range=15m&status=error"
      />
      <${at}
        label="Time to first content"
        value=${n?.first_content_ms==null?"\u2013":w(n.first_content_ms)}
        note=${n?.first_content_ms==null?"no answer in 10 min":`${n.provider}, usually ${w(n.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${at}
        label="Spent today"
        value=${t&&y(t.total?.cost_usd??0)}
        note=${t&&`${$(t.total?.requests??0)} requests, ${D()}`}
        href="#/requests?range=24h&sort=cost_usd"
      />
    </dl>
  `}function at({label:e,value:t="\u2026",note:s,isBad:n,href:o}){return i`
    <div>
      <dt>${e}</dt>
      <dd class=${`figure-big${n?" bad":""}`}>
        ${o===void 0?t:i`<a href=${o}>${t}</a>`}
      </dd>
      <dd class="faint small">${s??""}</dd>
    </div>
  `}function Br({health:e}){let t=Date.parse(e.at),s=qe(e.targets);return i`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${ks(e.thresholds)}>How it is judged</span>
        <a class="small" href="#/status">Providers</a>
      </div>
      ${s.length===0?i`<p class="soft">Nothing: no target is failing, degraded, slow or silent.</p>`:i`
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
              ${s.slice(0,Gs).map(n=>{let{last_failure:o,provider:r,since:a,state:u,upstream:l}=n;return i`
                  <tr role="row" key=${`${r} ${l}`}>
                    <th scope="row" role="rowheader" title=${`${r} ${l}`}>
                      <span class="clip">${r}</span>
                      <span class="clip faint small">${l}</span>
                    </th>
                    <td role="cell">
                      <${Ce} state=${u} />
                    </td>
                    <td role="cell" title=${a}>${a===null?"\u2013":we(a,t)}</td>
                    <td role="cell" class="evidence">
                      ${o===null?ge(n,t):i`
                        <a
                          href=${Ur(o)}
                          title=${o.vendor_text??"The last request that failed"}
                        >${ge(n,t)}</a>
                      `}
                    </td>
                  </tr>
                `})}
            </tbody>
          </table>
        `}
    </section>
  `}function Ur({request:e,time:t}){return`#/requests/${encodeURIComponent(e)}?time=${encodeURIComponent(t)}`}function Hr({day:e}){let t=jr(e?.keys??[]),s=e?.total?.cost_usd??0;return i`
    <section class="stack" aria-labelledby="cost-title">
      <div class="section-head">
        <h2 id="cost-title">What is expensive today</h2>
        <a class="small" href="#/usage?range=last-month&by=team">Last month by team</a>
        <a class="small" href="#/usage?range=24h&by=key">Usage</a>
      </div>
      ${t.length===0?i`<p class="soft">${e?"Nothing has been spent today.":"\u2026"}</p>`:i`
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
              ${t.map(({cost:n,key:o,model:r})=>i`
                  <tr key=${o}>
                    <th scope="row"><span class="clip" title=${o}>${o}</span></th>
                    <td><span class="clip soft" title=${r}>${r}</span></td>
                    <td class="number">${y(n)}</td>
                    <td class="number">${C(n,s)}</td>
                  </tr>
                `)}
            </tbody>
          </table>
        `}
    </section>
  `}function jr(e){let t=new Map;for(let{cost_usd:s,key:n,model:o}of e){if(!(s>0))continue;let r=t.get(n)??{key:n??"\u2013",cost:0,most:0,model:""};r.cost+=s,s>r.most&&Object.assign(r,{most:s,model:o??"\u2013"}),t.set(n,r)}return[...t.values()].toSorted((s,n)=>n.cost-s.cost).slice(0,Gs)}var Rn={};me(Rn,{default:()=>An});function Vs(e){return e.map((t,s)=>s===0?t:t.slice(t.indexOf(`
`)+1)).join("")}function ut(e,t){Os(e,t,"text/csv")}var Kr=30*864e5,Wr=1e3;function lt(e){let[t,s]=k({}),n=F(new Set);return{load:async r=>{if(n.current.has(r))return;n.current.add(r);let u={from:new Date(Date.now()-Kr).toISOString(),group_by:r,limit:String(Wr)};try{let{data:l}=await S(P(e,"usage",u)),d=l.flatMap(c=>c[r]??[]);s(c=>({...c,[r]:d}))}catch{n.current.delete(r)}},of:r=>t[r]??[]}}var de=new Map([["fallback","Fallback"],["retry","Retry"],["hedge","Hedge"],["cache","Cache"],["queued","Queued"],["sticky","Sticky"]]),Gr=new Map([["status","status"],["key","key"],["model","model"],["provider","provider"],["tag","tag"],["user","end_user"],["end_user","end_user"],["session","session"],["path","path"],["id","id"]]),Xr=new Map([["cost","min_cost_usd"],["ms","min_ms"],["duration","min_ms"]]),Jr=new Set(["key","model","provider","tag","end_user"]),Vr=/^\d{1,15}(\.\d{1,9})?$/,Zr=new Map([["ms",1],["s",1e3],["min",6e4],["m",6e4],["h",36e5]]);function Yr(e,t="ms"){let[,s,n=t]=/^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(e.trim())??[];if(s!==void 0)return String(Math.round(Number(s)*Zr.get(n.toLowerCase())))}function Zs(e,t,s){let n={...t};for(let[o]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let r=zr(n,o.replaceAll('"',""),s);if(r!==void 0)return{fault:r}}return{filters:n}}function zr(e,t,s){let n=/^([a-z_]+)>=?(.*)$/i.exec(t);if(n!==null)return Qr(e,n[1].toLowerCase(),n[2]);let[,o="",r=""]=/^([a-z_]+):(.*)$/i.exec(t)??[],a=Gr.get(o.toLowerCase());if(a===void 0&&/^failed$/i.test(t))e.status="error";else if(a===void 0)e.id=t;else{if(r==="")return`'${o}:' needs a value`;if(a==="status")return ei(e,r.toLowerCase());if(a==="path")return ti(e,r.toLowerCase());e[a]=Jr.has(a)?si(r,s(a)):r}}function Qr(e,t,s){let n=Xr.get(t);if(n===void 0)return`'${t}' has no amount: use cost>0.3 or ms>5000`;if(n==="min_cost_usd"){let r=s.replace(/^\$/,"");if(!Vr.test(r))return"A cost is a number: cost>0.25";e.min_cost_usd=r;return}let o=Yr(s,t==="ms"?"ms":"s");if(o===void 0)return"A duration is a number: ms>1500 or duration>1.5s";e.min_ms=o}function ei(e,t){let s=t==="failed"?"error":t;if(!/^(ok|error|[1-5]\d\d)$/.test(s))return"A status is ok, error, or a number: status:429";e.status=s}function ti(e,t){if(!de.has(t))return`A path is ${[...de.keys()].join(", ")}`;e.path=t}function si(e,t){return e.includes("*")||t.includes(e)?e:/[:=]$/.test(e)?`${e}*`:`*${e}*`}function jt(e){return Be.filter(t=>e[t]!=="").map(t=>{let s=e[t];return t==="min_ms"?{filter:t,name:"ms",sign:">",value:s}:t==="min_cost_usd"?{filter:t,name:"cost",sign:">",value:s}:{filter:t,name:t==="end_user"?"user":t,sign:":",value:s}})}var ni=["key","model","provider","tag","end_user"],oi=["status:error","status:ok","status:429","cost>","ms>","session:"],ri=200;function Ys({filters:e,rows:t=[],session:s,opened:n,time:o}){let[r,a]=k(""),[u,l]=k(""),d=F(null),c=lt(s),f=q(e,n,o);U(()=>{a(""),l("")},[f]);let p=_=>location.hash=q(_,n,o),m=ni.filter(_=>_!=="key"||s.hasAdmin),g=_=>[...new Set([...li(t,_),...c.of(_)])],v=_=>{_.preventDefault();let b=Zs(r,e,g);if(b.fault!==void 0)return l(b.fault);l(""),a(""),p(b.filters)},h=_=>{let b=jt(e).at(-1);_.key==="Backspace"&&r===""&&b!==void 0?p({...e,[b.filter]:""}):_.key==="Escape"&&d.current.blur()},x=({target:{value:_}})=>{a(_);let b=/(?:^|\s)([a-z_]+):\S*$/.exec(_)?.[1]??"",O=b==="user"?"end_user":b;m.includes(O)&&c.load(O)};return i`
    <form class="filter-bar" role="search" aria-label="Filter the requests" onSubmit=${v}>
      <div class="filter-line">
        <${ue} name="search" />
        ${jt(e).map(_=>i`<${ii} key=${_.filter} word=${_} onRemove=${()=>p({...e,[_.filter]:""})} />`)}
        <input
          ref=${d}
          aria-label="Add a filter"
          aria-keyshortcuts="Alt+Shift+F"
          aria-invalid=${u!==""?"true":void 0}
          aria-describedby="filter-fault"
          autocomplete="off"
          spellcheck=${!1}
          placeholder="Add a filter: status:error, model:, tag:team:, cost>0.3, ms>5000, an ID"
          list="filter-words"
          value=${r}
          onInput=${x}
          onKeyDown=${h}
        />
        <datalist id="filter-words">
          ${ui(r,m,g).map(_=>i`<option key=${_} value=${_} />`)}
        </datalist>
        ${Ue(e)&&i`
          <a class="button quiet" href=${q({...ke(e),sort:e.sort,order:e.order},n,o)}>Clear</a>
        `}
      </div>
      <p class="fault" id="filter-fault" role="status">${u}</p>
      <${ai} filters=${e} onChange=${p} />
    </form>
  `}function ii({word:{name:e,sign:t,value:s},onRemove:n}){let o=`${e}${t}${s}`;return i`
    <span class="chip">
      <span title=${o}>${e}<i>${t}</i><b>${s}</b></span>
      <button type="button" aria-label=${`Remove ${o}`} onClick=${n}>
        <${ue} name="close" size=${10} />
      </button>
    </span>
  `}function ai({filters:e,onChange:t}){let s=[["status","error","Failed"],...[...de].map(([n,o])=>["path",n,o])];return i`
    <div class="quick" role="group" aria-label="Usual filters">
      ${s.map(([n,o,r])=>{let a=e[n]===o;return i`
          <button type="button" key=${o} aria-pressed=${String(a)}
            onClick=${()=>t({...e,[n]:a?"":o})}>
            ${o==="error"&&i`<span class="st failed only" aria-hidden="true"></span>`}
            ${r}
          </button>
        `})}
    </div>
  `}function ui(e,t,s){let[,n,o]=/^(.*?)(\S*)$/s.exec(e),[,r,a]=/^([a-z_]+):(.*)$/.exec(o)??[],u=r==="user"?"end_user":r;return t.includes(u)?s(u).filter(d=>d.includes(a)).sort().slice(0,ri).map(d=>`${n}${r}:${/\s/.test(d)?`"${d}"`:d}`):[...oi,...t.map(d=>`${d==="end_user"?"user":d}:`)].filter(d=>d.startsWith(o)).map(d=>n+d)}function li(e,t){return e.flatMap(s=>t==="tag"?s.tags:s[t]??[])}var Kt=[{id:"searches",title:"Searches",text:$},{id:"images",title:"Images",text:$},{id:"characters",title:"Characters spoken",text:$},{id:"seconds",title:"Audio",text:ci}];function ct(e){return Kt.filter(({id:t})=>e.some(s=>s?.[t]>0))}function ci(e){if(e<60)return`${Math.round(10*e)/10} s`;let t=Math.round(e);return`${$(Math.floor(t/60))} min ${t%60} s`}var zs="abandoned";function Wt({error:e,status:t}){return e!==zs&&((e??null)!==null||t>=400)}function di({attempts:e=[]}){return e.findLast(t=>t.error===null&&t.status<400)}function Qs(e){let{attempts:t=[],error:s,queued_ms:n,response_cache:o,status:r}=e,a=n>0?`Waited ${w(n)} in the queue. `:"";if(o==="hit"&&t.length===0){let u=e.saved_usd>0?`, which saved ${y(e.saved_usd)}`:"";return`${a}Answered by the cache${u}.`}return r===499?`${a}The client stopped after ${w(e.ms)}.`:s!==null?a+fi(e):a+pi(e)}function fi({attempts:e=[],error:t,status:s}){let n=`the client got ${s} ${t}`;if(e.length===0)return`No provider was asked: ${n}.`;let o=[...new Set(e.map(({provider:r})=>r))];return e.length===1?`${o[0]} failed with ${e[0].error??t}: ${n}.`:o.length===1?`All ${e.length} attempts at ${o[0]} failed: ${n}.`:`All ${e.length} attempts failed, at ${en(o)}: ${n}.`}function pi(e){let{attempts:t=[]}=e,s=di(e),n=s?.provider??e.provider??"The target",o=e.first_token_ms??e.ms;if(e.hedged&&s!==void 0){let l=t.find(d=>d!==s&&!Wt(d))?.provider??"the first target";return s.hedge?`${l} was slow; the hedge at ${n} won after ${w(o)}.`:`${n} answered after ${w(o)}; the hedge at ${l} was not used.`}let r=t.filter(Wt);if(r.length===0)return`Answered by ${n} after ${w(o)}.`;let a=[...new Set(r.map(u=>u.provider))];return a.every(u=>u===n)?`${n} answered after ${w(o)}, at attempt ${t.length}.`:`${en(a)} failed (${r[0].error??r[0].status}); ${n} answered after ${w(o)}.`}function en(e){return e.length===1?e[0]:`${e.slice(0,-1).join(", ")} and ${e.at(-1)}`}function tn(e){let{attempts:t=[],first_token_ms:s,ms:n,queued_ms:o}=e,r=t.map(a=>({kind:a.hedge?"hedge":"attempt",tone:a.error===zs?"unused":Wt(a)?"bad":"good",start:a.started_ms,length:a.ms,attempt:a})).toSorted((a,u)=>a.start-u.start);return o>0&&r.unshift({kind:"queue",tone:"wait",start:0,length:o}),s!=null&&n>s&&r.push({kind:"stream",tone:"stream",start:s,length:n-s}),r}var $i=1e6,mi=1e-9;function sn(e){let{prices:t}=e;if(t==null)return[];let s=e.cached_input_tokens??0,n=e.cache_write_tokens??0,o=e.reasoning_tokens??0,r=(l,d,c)=>({name:l,amount:d,price:c,isTokens:!0,usd:d*c/$i}),a=[r("Input",(e.input_tokens??0)-s-n,t.input),r("Input, cached",s,t.cachedInput??t.input),r("Input, written to the cache",n,t.cacheWrite??t.input),r("Output",(e.output_tokens??0)-o,t.output),r("Output, reasoning",o,t.output),...Object.entries(t.units??{}).map(([l,d])=>({name:l,amount:e[l]??0,price:d,isTokens:!1,usd:(e[l]??0)*d}))].filter(({amount:l})=>l>0),u=(e.cost_usd??0)-a.reduce((l,{usd:d})=>l+d,0);return e.cost_usd!=null&&Math.abs(u)>mi&&a.push({name:"Other attempts and rates",amount:null,price:null,usd:u,isTokens:!1}),a}function nn(e){let t=new Map([["hit","stayed at its target"],["moved","moved to another target"],["new","began here"]]);return[["Alias",e.alias],["Why this target",e.route],["Session",t.get(e.affinity)??e.affinity],["Chosen by price",e.price_ordered&&hi(e.price_order_saved_usd)],["Waited in the queue",e.queued_ms>0&&w(e.queued_ms)],["Response cache",e.response_cache],["Saved",e.saved_usd>0&&y(e.saved_usd)],["Hedge",e.hedged&&`cost ${y(e.hedge_usd??0)}`],["Writing the cache",e.cache_write_usd>0&&y(e.cache_write_usd)],["Service tier",e.prices?.tier],["Prices of long prompts",e.prices?.long&&"yes"],["Agent",e.agent],["Started by agent",e.parent_agent]].filter(([,s])=>s)}function hi(e){return e>0?`saved ${y(e)}`:"yes"}function on({cost_usd:e,input_tokens:t,output_tokens:s,usage_source:n}){if(n===void 0||n==="none")return"";let o=e===null?"price unknown":y(e);return`${$(t)} + ${$(s)} tokens, ${o}`}var dt=499;function un({rows:e,filters:t,opened:s,showsKey:n,note:o,onSort:r}){let a={id:t.sort||"time",isRising:t.order==="asc"},u=({id:c,isRising:f})=>r(c==="time"?{sort:"",order:""}:{sort:c,order:f?"asc":""}),l=W(()=>bi(n),[n,D()]),d=e.find(({id:c})=>c===s);return i`
    <p class=${o===""?"only-read":"hint"} role="status">${o}</p>
    <${H}
      label="Requests"
      columns=${l}
      rows=${e}
      idOf=${rn}
      hrefOf=${c=>q(t,c.id,c.time)}
      actionsOf=${c=>gi(c,t)}
      order=${a}
      onOrder=${u}
      current=${d&&rn(d)}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>location.hash=q(t)}
    />
  `}function rn({id:e,time:t}){return`${t} ${e}`}function gi(e,t){let s=(n,o)=>e[n]==null?[]:[{text:`All of this ${o}`,href:q({...ke(t),[n]:e[n]})}];return[{text:"Open",href:q(t,e.id,e.time)},{text:"Copy ID",copy:e.id},...s("model","model"),...s("provider","provider"),...s("key","key"),...s("session","session")]}function bi(e){return[{id:"time",title:"Time",card:"c",of:({time:t})=>t,cell:yi},{id:"status",title:"Status",card:"b",cell:t=>i`<${Ke} row=${t} />`},{id:"model",title:"Model",card:"a",cell:Gt("model")},{id:"provider",title:"Provider",panel:"hide",cell:Gt("provider")},...e?[{id:"key",title:"Key",panel:"hide",cell:Gt("key")}]:[],{id:"path",title:"Path",panel:"low",cell:vi},{id:"ms",title:"Duration",isNumber:!0,panel:"low",of:({ms:t})=>t,text:w},{id:"first_token_ms",title:"First",hint:"Time to first content",isNumber:!0,panel:"hide",of:t=>t.first_token_ms,text:w},an("input_tokens","In"),an("output_tokens","Out"),{id:"attempt_count",title:"Attempts",isNumber:!0,panel:"hide",of:t=>t.attempt_count>1?t.attempt_count:void 0},{id:"cost_usd",title:"Cost",isNumber:!0,card:"d",of:t=>t.cost_usd,cell:ki}]}function an(e,t){return{id:e,title:t,hint:`${t==="In"?"Input":"Output"} tokens`,isNumber:!0,panel:"hide",of:s=>Xt(s)?s[e]:void 0,cell:s=>wi(s[e],Xt(s),s.usage_source==="estimated")}}function Xt({usage_source:e}){return e!=="none"}function yi(e){let t=e.path.map(s=>`, ${s}`).join("");return i`
    <span title=${`${J(e.time)}, ${e.id}`}>${se(e.time)}</span>
    <span class="phone-only">, ${w(e.ms)}${t}</span>
  `}function Gt(e){return t=>t[e]==null?"\u2013":i`<${he} text=${t[e]} />`}function vi({path:e}){return e.map(t=>i`<span key=${t} class="badge">${de.get(t)}</span>`)}function ki(e){return e.cost_usd==null?Xt(e)?i`<span class="faint">unknown</span>`:"\u2013":i`<span title=${`$${e.cost_usd}`}>${y(e.cost_usd)}</span>`}function Ke({row:e,isLong:t=!1}){let{error:s,status:n}=e,o=n!==dt&&(n>=400||s!=null),r=n===dt?"stopped":o?"failed":"ok",a=n===dt?"Stopped by the client":s??void 0;return i`
    <span class=${`st ${r}`} title=${a}>${n}</span>
    ${t&&n===dt&&i`<span class="soft small"> stopped by the client</span>`}
    ${t&&o&&s&&i`<span class="error-code small"> ${s}</span>`}
  `}function wi(e,t,s){return t?s?i`<span title="Estimated: the vendor reported no usage">≈ ${$(e)}</span>`:$(e):"\u2013"}var ln=.8,_i=.1;function cn({row:e}){let t=tn(e),s=Math.max(_i,e.ms,...t.map(({start:o,length:r})=>o+r)),n=t.filter(({attempt:o})=>o!==void 0);return i`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${t.map((o,r)=>o.attempt===void 0?i`
              <${Jt}
                key=${o.kind}
                title=${o.kind==="queue"?"Waited in the queue":"Stream, from the first content"}
                text=${dn(o)}
                start=${o.start}
                length=${o.length}
                total=${s}
                tone=${o.tone}
              />
            `:i`
              <${xi} key=${r} lane=${o} number=${n.indexOf(o)+1}
                total=${s} />
            `)}
        <${Jt}
          title="Whole request"
          text=${w(e.ms)}
          start=${0}
          length=${e.ms}
          total=${s}
          tone="whole"
          mark=${e.first_token_ms}
        />
      </ol>
      <div class="scale faint small mono" aria-hidden="true">
        <span>0</span><span>${w(s/2)}</span><span>${w(s)}</span>
      </div>
      ${n.length===0&&e.response_cache!=="hit"&&i`
        <p class="hint">No provider was asked.</p>
      `}
    </section>
  `}function xi({lane:e,number:t,total:s}){let{attempt:n,kind:o,length:r,start:a,tone:u}=e,{provider:l,model:d,status:c,error:f,vendor_text:p}=n,m=on(n);return i`
    <${Jt}
      title=${i`
        ${t}. <span class="mono wrap-anywhere">${d}</span>
        <span class="soft"> at </span><span class="mono">${l}</span>
        ${o==="hedge"&&i`<span class="soft">, the hedge</span>`}
      `}
      text=${dn(e)}
      start=${a}
      length=${r}
      total=${s}
      tone=${u}
    >
      <p class="row outcome">
        ${u==="unused"?i`<span class="badge">not used</span>`:i`
          <span class=${`badge ${u}`}>${c??"\u2013"}</span>
          ${f?i`<span class="error-code">${f}</span>`:"answered"}
        `}
        ${Ti(n).map(g=>i`<span key=${g} class="soft wrap-anywhere">${g}</span>`)}
        ${m!==""&&i`<span class="faint">${m}</span>`}
      </p>
      ${p&&i`<blockquote class="vendor-words wrap-anywhere">${p}</blockquote>`}
      <//>
  `}function dn({length:e,start:t}){return t<1?w(e):`${w(e)}, after ${w(t)}`}var Si=new Map([["other_key","then with another key"],["retry","then again"],["resent","then sent again on a new connection"],["next_target","then the next target"],["continued","then continued by another target"]]),Oi=new Map([["wait_too_long","not again: the wait is too long"],["deadline","not again: the deadline is too near"],["breaker_open","not again: its breaker is open"]]);function Ti({cause:e,corrections:t=[],next:s,reason:n,wait_ms:o}){let r=s==="retry"&&o!==null;return[e,...t.map(({fields:a,sent_as:u})=>u===null?`sent again without ${a.join(", ")}`:`sent again with ${a.join(", ")} as ${u}`),n&&(Oi.get(n)??n),o!=null&&!r&&`asked to wait ${w(o)}`,r?`then again after ${w(o)}`:Si.get(s)].filter(a=>a)}function Jt({title:e,text:t,start:s,length:n,total:o,tone:r,mark:a,children:u}){let l=c=>`${(100*c/o).toFixed(2)}%`,d=Math.max(ln,100*n/o);return i`
    <li>
      <div class="row spread"><span>${e}</span><span class="soft small">${t}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${r}`}
          style=${{left:l(Math.min(s,o*(1-ln/100))),width:`${d.toFixed(2)}%`}}
        ></span>
        ${a!=null&&i`<span class="mark" style=${{left:l(a)}}></span>`}
      </div>
      ${u}
    </li>
  `}function $n({id:e,time:t,session:s,filters:n,rows:o=[]}){let r=o.findIndex(f=>f.id===e&&(t===null||f.time===t)),a=t===null?{}:{time:t},u=P(s,`requests/${encodeURIComponent(e)}`,a),{data:l,error:d}=I(f=>S(u,{signal:f}),[u]),c=F(null);return U(()=>c.current.focus(),[]),i`
    <section class="details card" aria-label="Request">
      <header>
        <h2 ref=${c} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${fn} row=${o[r-1]} filters=${n} icon="up" keys="K"
            label="Newer request" />
          <${fn} row=${r<0?void 0:o[r+1]} filters=${n} icon="down"
            keys="J" label="Older request" />
          <a class="button quiet icon close" href=${q(n)} title="Close"
            aria-label="Close the request" aria-keyshortcuts="Alt+Shift+X">
            <${ue} name="close" />
          </a>
        </span>
      </header>
      <div class="stack padded">
        <p class="row id-row">
          <code class="wrap-anywhere">${e}</code>
          <${Z} text=${e} label="Copy ID" />
        </p>
        <${T} error=${d} title="The request cannot be shown" />
        ${!l&&!d&&i`<${E} />`}
        ${l&&i`
          <p class="said">${Qs(l)}</p>
          <${Ci} row=${l} filters=${n} />
          <${cn} row=${l} />
          <${qi} row=${l} />
          <${Mi} row=${l} />
          <${Ei} row=${l} filters=${n} />
          ${s.hasService&&l.model!==null&&Ri(l)&&i`
            <p>
              <a class="button" href=${`#/playground?${new URLSearchParams({model:l.model})}`}
                title="Its content is not stored">Open its model in the playground</a>
            </p>
          `}
        `}
      </div>
    </section>
  `}function Ci({row:e,filters:t}){return e.path.length===0?null:i`
    <p class="row" aria-label="Path">
      ${e.path.map(s=>i`<a key=${s} class="badge" href=${q({...ke(t),path:s})}>${de.get(s)}</a>`)}
    </p>
  `}function qi({row:e}){let t=sn(e);return t.length===0?null:i`
    <section class="stack" aria-labelledby="cost-title">
      <h3 id="cost-title">Cost</h3>
      <${ce} label="Cost by line" class="cost-lines">
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col" class="number">Amount</th>
            <th scope="col" class="number">Price</th>
            <th scope="col" class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          ${t.map(({amount:s,isTokens:n,name:o,price:r,usd:a})=>i`
              <tr key=${o}>
                <th scope="row">${o}</th>
                <td class="number">${s===null?"\u2013":$(s)}</td>
                <td class="number">
                  ${r===null?"\u2013":n?`${hs(r)} / M`:y(r)}
                </td>
                <td class="number" title=${`$${a}`}>${y(a)}</td>
              </tr>
            `)}
          <tr>
            <th scope="row">Total</th>
            <td></td>
            <td></td>
            <td class="number"><strong>${e.cost_usd==null?"unknown":y(e.cost_usd)}</strong></td>
          </tr>
        </tbody>
        <//>
        </section>
  `}function Mi({row:e}){let t=nn(e);return t.length===0?null:i`
    <section class="stack" aria-labelledby="route-title">
      <h3 id="route-title">Route</h3>
      <${ee} class="request-facts" facts=${t} />
    </section>
  `}function fn({row:e,filters:t,icon:s,keys:n,label:o}){return e===void 0?null:i`
    <a class="button quiet icon" href=${q(t,e.id,e.time)} aria-label=${o}
      title=${o} aria-keyshortcuts=${`Alt+Shift+${n}`}>
      <${ue} name=${s} />
    </a>
  `}var Ai=new Set(["chat_completions","completions","messages","responses","gemini","ollama"]);function Ri({format:e}){return Ai.has(e)}function Ei({row:e,filters:t}){let s=e.usage_source!=="none",n=(r,a)=>i`
      <${Li} key=${a} name=${r} value=${a} filters=${t} />
    `,o=[["Ended",J(e.time)],["Status",i`<${Ke} isLong=${!0} row=${e} />`],["Model",n("model",e.model)],["Provider",e.provider?n("provider",e.provider):"none"],["Upstream",e.upstream&&i`<code class="wrap-anywhere">${e.upstream}</code>`],["Key",n("key",e.key)],["Tags",e.tags?.length>0&&e.tags.map(r=>n("tag",r))],["End user",e.end_user&&n("end_user",e.end_user)],["Session",e.session&&n("session",e.session)],["API",e.format],["Input",s&&pn(e.input_tokens,[["cached",e.cached_input_tokens],["written to the cache",e.cache_write_tokens]])],["Output",s&&pn(e.output_tokens,[["reasoning",e.reasoning_tokens]])],...ct([e]).map(({id:r,title:a,text:u})=>[a,u(e[r])]),["Usage",Ii.get(e.usage_source)??e.usage_source],["Cost",s&&i`<${Nt} value=${e.cost_usd} format=${y} />`],["First token",e.first_token_ms!=null&&w(e.first_token_ms)],["Duration",w(e.ms)]];return i`
    <${ee} class="request-facts" facts=${o.filter(([,r])=>r)} />
  `}function Li({name:e,value:t,filters:s}){if(t===null)return i`<${Nt} value=${t} />`;let n=q({...ke(s),[e]:t});return i`
    <a class="mono wrap-anywhere" href=${n} title="All requests with this value">${t}</a>
  `}var Ii=new Map([["vendor","reported by the vendor"],["estimated","estimated, since the vendor reported none"],["none","none"]]);function pn(e,t){let s=t.filter(([,n])=>n>0).map(([n,o])=>`${$(o)} ${n}`);return`${$(e)} tokens${s.length>0?` (${s.join(", ")})`:""}`}function ft(e){let[t,s]=k(0);return ps(()=>{s(Math.floor(e.current.clientWidth));let n=new ResizeObserver(([o])=>s(Math.floor(o.contentRect.width)));return n.observe(e.current),()=>n.disconnect()},[]),t}function mn(e){let[{from:t,to:s,step_seconds:n}]=e,o=n*1e3,r=Date.parse(t),a=[];for(let u=r;u<Date.parse(s);u+=o)a.push({start:u,end:u+o,requests:0,errors:0});for(let{start:u,requests:l,errors:d}of e.flatMap(({data:c})=>c)){let c=a[Math.round((Date.parse(u)-r)/o)];c!==void 0&&(c.requests+=l,c.errors+=d)}return a}function hn(e,t){if(e===null||t.length===0)return null;let[{start:s,end:n}]=t;if(e.step!==n-s)return null;let o=Math.round((s-e.first)/e.step),[r,a]=We(e),u=t.length-1;if(a-o<0||r-o>u)return null;let l=d=>Math.min(u,Math.max(0,d-o));return{anchor:l(e.anchor),focus:l(e.focus)}}function We({anchor:e,focus:t}){return[Math.min(e,t),Math.max(e,t)]}function gn(e,{key:t,shiftKey:s},n){let o=n-1,r=e?.focus??(t==="ArrowRight"?-1:n),a={ArrowLeft:Math.max(0,r-1),ArrowRight:Math.min(o,r+1),PageUp:Math.max(0,r-10),PageDown:Math.min(o,r+10),Home:0,End:o};if(!Object.hasOwn(a,t)||o<0)return;let u=a[t];return{anchor:s&&e!==null?e.anchor:u,focus:u}}function bn({from:e,to:t},s){let n=t-e,o=Math.min(t+n,s);return{from:o-3*n,to:o}}function yn(e){if(e<2)return[1,0];let t=10**Math.floor(Math.log10(e)),s=[1,2,4,6,8,10].map(n=>n*t).find(n=>n>=e);return[s,s/2,0]}function vn({requests:e,errors:t},s,n){if(e===0||s===0)return{others:0,errors:0};let o=Math.max(2,e/s*n),r=t===0?0:Math.min(o,Math.max(2,t/s*n));return{others:o-r,errors:r}}var Me=64,Ni=366*864e5;function wn({intervals:e,isComplete:t,isCustom:s,onZoom:n}){let[o,r]=k(null),a=hn(o,e),[{start:u,end:l}]=e,d=h=>r(h&&{...h,first:u,step:l-u}),c=a===null?e:Pi(e,a),f={from:u,to:e.at(-1).end},p=h=>{let[x,_]=We(h);d(null),n(e[x].start,e[_].end)},m=()=>{let{from:h,to:x}=bn(f,N());n(h,x)},g=yn(e.reduce((h,{requests:x})=>Math.max(h,x),0)),v=s&&f.to-f.from<Ni/3;return i`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${Fi(c,a===null,t)}</b> <span class="faint small">${qs(e[0].end-u)} a bar; drag, or use Shift and arrow
          keys, to select a period</span></span>
        <span class="row">
          ${a!==null&&i`
            <button type="button" class="small" onClick=${()=>p(a)}>
              Show only this
            </button>
          `}
          ${v&&i`
            <button type="button" class="small quiet" onClick=${m}>Zoom out</button>
          `}
        </span>
      </figcaption>
      <div class="histogram-plot">
        <div class="histogram-axis" aria-hidden="true">
        ${g.map(h=>i`<span key=${h}>${A(h)}</span>`)}
      </div>
        <${Di}
          axis=${g}
          intervals=${e}
          selection=${a}
          onSelect=${d}
          onZoom=${p}
          onWiden=${v?m:void 0}
        />
        <div class="histogram-times row spread small faint" aria-hidden="true">
          <span>${He(f.from)}</span>
          <span>${He(f.to)}</span>
        </div>
      </div>
    </figure>
  `}function Di({axis:e,intervals:t,selection:s,onSelect:n,onZoom:o,onWiden:r}){let a=F(null),u=ft(a),l=F(null),d=u/t.length,[c]=e,[f,p]=s===null?[-1,-2]:We(s),m=b=>{let O=b.clientX-a.current.getBoundingClientRect().left;return Math.min(t.length-1,Math.max(0,Math.floor(O/d)))};return i`
    <div
      class="histogram-bars"
      ref=${a}
      tabindex="0"
      role="group"
      aria-label="Select a time: arrow keys move, Shift and arrow keys extend, Enter shows only it,
        Escape clears, minus zooms out"
      onPointerDown=${b=>{if(b.button!==0)return;a.current.setPointerCapture(b.pointerId);let O=m(b);l.current={anchor:O,focus:O},n(l.current)}}
      onPointerMove=${b=>{l.current!==null&&(l.current={...l.current,focus:m(b)},n(l.current))}}
      onPointerUp=${()=>{let b=l.current;l.current=null,b!==null&&b.anchor!==b.focus&&o(b)}}
      onPointerCancel=${()=>{l.current=null,n(null)}}
      onKeyDown=${b=>{if(b.ctrlKey||b.metaKey||b.altKey)return;let O=gn(s,b,t.length);if(O!==void 0)n(O);else if(b.key==="Enter"&&s!==null)o(s);else if(b.key==="Escape"&&s!==null)n(null);else if(b.key==="-"&&r!==void 0)r();else return;b.preventDefault(),b.stopPropagation()}}
    >
      <svg width=${u} height=${Me} aria-hidden="true">
        ${f>=0&&i`
          <rect class="hovered" x=${f*d} y="0" width=${(p-f+1)*d}
            height=${Me} />
        `}
        ${e.slice(0,-1).map((b,O)=>i`
            <line key=${b} class="grid-line" x1="0" x2=${u}
              y1=${Me*O/(e.length-1)+.5}
              y2=${Me*O/(e.length-1)+.5} />
          `)}
        <path class="volume" d=${kn(t,c,d,!1)} />
        <path class="errors" d=${kn(t,c,d,!0)} />
      </svg>
    </div>
  `}function kn(e,t,s,n){let o=Math.max(1,s-1);return e.map((r,a)=>{let{errors:u,others:l}=vn(r,t,Me),d=n?u:l;if(d===0)return"";let c=Me-u-(n?0:l);return`M${(a*s).toFixed(1)} ${c.toFixed(1)}h${o.toFixed(1)}v${d.toFixed(1)}h${(-o).toFixed(1)}z`}).join("")}function Pi(e,t){let[s,n]=We(t);return e.slice(s,n+1)}function Fi(e,t,s){let n=c=>e.reduce((f,p)=>f+p[c],0),[o,r]=[n("requests"),n("errors")],a=o===1?"request":"requests",u=[`${s?"":"\u2265 "}${$(o)} ${a}`,`${$(r)} failed`];if(t)return u.join(", ");let[l,d]=[e[0].start,e.at(-1).end];return`${u.join(", ")} from ${He(l)} to ${He(d)}`}var Ae={rows:void 0,next:null,error:void 0,isLoading:!0,isLoadingMore:!1,isSorting:!1,moreError:void 0};function Vt({data:e,next:t}){return{...Ae,isLoading:!1,rows:e,next:t}}function Zt(e,{data:t,next:s}){let n=[...e.rows,...t];return{...e,isLoadingMore:!1,rows:n,next:s}}function xn(e,t){if(e.rows===void 0)return e;let s=new Set(e.rows.map(_n)),n=t.data.filter(a=>!s.has(_n(a)));if(n.length===0)return e.moreError?{...e,moreError:void 0}:e;if(n.length===t.data.length&&t.has_more||e.rows.length+n.length>500)return Vt(t);let r=[...n,...e.rows].sort((a,u)=>a.time<u.time?1:a.time>u.time?-1:0);return{...e,rows:r,moreError:void 0}}function Sn(e,{data:t,next:s},{sort:n,order:o},r){let a=o==="asc"?1:-1,u=[...e.rows??[],...t].sort((l,d)=>a*(l[n]-d[n])).slice(0,r);return{...Ae,isLoading:!1,isSorting:s!==null,rows:u}}function _n({id:e,time:t}){return`${t} ${e}`}var pt=50,Ge=200,Bi=2e3,Ui=1e4,Hi=30,ji=30,On=50,Tn=1e3,$t=On*Tn;function Cn(e,t,s){let[n,o]=k(0),[r,a]=k(Ae),u=`${q(t)} ${D()}`,l=[e.hasAdmin,u,n],d=Ss(l),c=F(void 0);U(()=>{let v=new AbortController;c.current=ot(t,N(),D()),c.current.set("limit",String(pt)),a(_=>({..._,isLoading:!0}));let{signal:h}=v;return(t.sort===""?Ki(e,c.current,h,a):Wi(e,t,c.current,h,a)).then(_=>h.aborted||a(_),_=>h.aborted||a(({rows:b})=>({...Ae,..._.isPassing&&{rows:b},isLoading:!1,error:_}))),()=>v.abort()},l);let f=F(new AbortController);U(()=>{let v=new AbortController;return f.current=v,()=>v.abort()},[...l,s]),ve(async()=>{let{signal:v}=f.current;try{let h=await Xe(e,c.current,void 0,v);v.aborted||a(x=>xn(x,h))}catch(h){v.aborted||a(x=>({...x,moreError:h}))}},Bi,s);let m=async()=>{let v=c.current;a(h=>({...h,isLoadingMore:!0,moreError:void 0}));try{let h=0,{next:x}=r;for(;h<pt&&x!==null&&c.current===v;){let _=await Xe(e,v,x);if(c.current!==v)return;h+=_.data.length,{next:x}=_;let b=h>=pt||x===null;a(O=>({...Zt(O,_),isLoadingMore:!b}))}}catch(h){if(c.current!==v)return;a(x=>({...x,isLoadingMore:!1,moreError:h}))}},g=()=>o(v=>v+1);return It(r.error,g),{...r,isLoading:r.isLoading||d,loadMore:m,reload:g}}async function Ki(e,t,s,n){let o=Vt(await Xe(e,t,void 0,s));for(;o.rows.length<pt&&o.next!==null&&!s.aborted;)n({...o,isLoadingMore:!0}),o=Zt(o,await Xe(e,t,o.next,s));return o}async function Wi(e,t,s,n,o){let r=new URLSearchParams(s);r.set("limit",String(Ge)),r.set("sort",t.sort),t.order!==""&&r.set("order",t.order);let a=Ae,u;for(let l=0;u!==null&&l<ji;l++){let d=await Xe(e,r,u,n);a=Sn(a,d,t,Ge),n.aborted||o(a),u=d.next}return a}function Xe(e,t,s,n){let o=new URLSearchParams(t);return s!==void 0&&o.set("before",s),S(P(e,"requests",o),n&&{signal:n})}function qn(e,t,s){let[n,o]=k({pages:void 0,isComplete:!1,error:void 0}),[r,a]=k(0),u=`${q(t)} ${D()}`;U(()=>{let d=new AbortController,{signal:c}=d;return(async()=>{let p=N(),m=ot(t,p,D());m.has("to")||m.set("to",new Date(p).toISOString());let g=[];for(let v="";v!==null&&g.length<Hi;){v!==""&&m.set("before",v);let h=await S(P(e,"request_counts",m),{signal:c});if(c.aborted)return;g.push(h),{next:v}=h,o({pages:[...g],isComplete:v===null,error:void 0})}})().catch(p=>c.aborted||o({pages:void 0,isComplete:!1,error:p})),()=>d.abort()},[e.hasAdmin,u,r]);let l=()=>a(d=>d+1);return ve(l,Ui,s),It(n.error,l),{...n,recount:l}}async function Mn(e,t){let s=ot(t,N(),D());s.set("format","csv"),s.set("limit",String(Tn));let n=[],o;do{o&&s.set("before",o);let r=await $s(P(e,"requests",s));n.push(await r.text()),o=r.headers.get("x-sluice-next")}while(o!==null&&n.length<On);return{text:Vs(n),hasMore:o!==null}}function An({route:e}){let t=j(),s=Ts(e.query),n=e.path[0],o=e.query.get("time"),{isOpen:r}=Cs(s,N(),D()),a=s.range==="custom",[u,l]=k(!1),d=r&&s.sort==="",c=u&&d,f=Cn(t,s,c),p=qn(t,s,c),m=v=>location.hash=q(v,n,o),g=()=>{f.reload(),p.recount()};return i`
    <div class="view wide-view" data-view="requests">
      <${Y}
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
        <${Vi} session=${t} filters=${s} counts=${p} />
      <//>
      <${Ys}
        filters=${s}
        rows=${f.rows}
        session=${t}
        opened=${n}
        time=${o}
      />
      ${p.pages&&i`
        <${wn}
          intervals=${mn(p.pages)}
          isComplete=${p.isComplete}
          isCustom=${a}
          onZoom=${(v,h)=>m(nt(s,v,h))}
        />
      `}
      <div class=${`list-and-details ${n?"has-details":""}`}>
        <div class="list stack">
          <${T} error=${f.error} title="The requests cannot be listed" />
          <${Gi}
            list=${f}
            filters=${s}
            opened=${n}
            session=${t}
            onSort=${v=>m({...s,...v})}
          />
        </div>
        ${n&&i`
          <${$n}
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
  `}function Gi({list:e,filters:t,opened:s,session:n,onSort:o}){let{rows:r,error:a,moreError:u,isLoading:l,isLoadingMore:d,isSorting:c,next:f,loadMore:p}=e;return r===void 0?a?null:i`<${E} text="Loading the requests" />`:r.length===0&&f===null&&!c&&!l?i`<${Ji} filters=${t} />`:i`
    <div class=${`stack ${l?"stale":""}`}>
      <${un} rows=${r} filters=${t} opened=${s} onSort=${o}
        showsKey=${n.hasAdmin} note=${l?"":Xi(t,e)} />
    </div>
    <${T} error=${u} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${r.length} shown${d?", searching older requests":""}</span>
      ${f!==null&&i`
        <button type="button" aria-keyshortcuts="Alt+Shift+M" onClick=${p}
          disabled=${d}>
          ${d?"Loading":Ue(t)?"Search older requests":"Load more"}
        </button>
      `}
    </div>
  `}function Xi({sort:e},{rows:t,isSorting:s}){if(e==="")return"";if(s)return"Sorting: older requests are still being read.";let n=e==="cost_usd"||e==="first_token_ms"?" Requests without this value are left out.":"";return t.length<Ge?`All requests of this time and these filters.${n}`:`The first ${Ge} in this order, of all requests of this time and these filters.${n}`}function Ji({filters:e}){let t={...e,range:"90d",from:"",to:""};return i`
    <div class="card empty stack">
      <p>
        ${Ue(e)?"No request matches these filters in this time.":"No requests in this time. They appear here as soon as they end."}
      </p>
      ${e.range!=="90d"&&i`
        <p><a class="button" href=${q(t)}>Show the last 90 days</a></p>
      `}
    </div>
  `}function Vi({session:e,filters:t,counts:{isComplete:s,pages:n=[]}}){let[o,r]=k({}),a=async()=>{r({isLoading:!0});try{let{text:c,hasMore:f}=await Mn(e,t);ut("requests.csv",c);let p=f&&new Error("The file has only the newest: choose a shorter time");r({error:p})}catch(c){r({error:c})}},u=n.flatMap(({data:c})=>c).reduce((c,{requests:f})=>c+f,0),l=u>$t,d=l?`newest ${$($t)} rows`:`${$(u)} rows`;return i`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${a}
      disabled=${o.isLoading}
      title=${`Download CSV: at most the newest ${$($t)} requests`}
    >${s||l?`CSV, ${d}`:"CSV"}</button>
    <${T} error=${o.error} title="Download" />
  `}var Fn={};me(Fn,{default:()=>Dn});function En(e){let t=null;return e.toReversed().map((s,n)=>{let o=t!==null&&s.provider!==null&&s.provider!==t;return s.provider!==null&&({provider:t}=s),{...s,number:n+1,hasMoved:o}})}function Ln(e){let t=l=>e.reduce((d,c)=>d+(c[l]??0),0),s=e.filter(({hasMoved:l})=>l).length,n=e.at(-1),o=Date.parse(n.time)-Date.parse(e[0].time)+e[0].ms,r=s===0?"never moved":s===1?"moved once":`moved ${s} times`,a=t("input_tokens"),u=e.length===1?"request":"requests";return{title:`${$(e.length)} ${u} in ${vs(o)}; ${r}, ${Zi(e)}`,text:a===0?"No input tokens are known.":`${C(t("cached_input_tokens"),a)} of ${$(a)} input tokens came from the prompt cache.`}}function Zi(e){let t=e.filter(o=>o.cost_usd!=null);if(t.length===0)return"cost unknown";let s=t.reduce((o,r)=>o+r.cost_usd,0);return`${e.some(o=>o.cost_usd==null&&o.usage_source!=="none")?"\u2265 ":""}${y(s)}`}var Nn=1e3,Yi=200,zi=5;function Dn({route:e}){let t=j(),s=e.path[0],n=D(),o=et(e.query),r=[t.hasAdmin,o.range,o.from,o.to,n],a=W(()=>Qi(o,n),r),{data:u,error:l,isLoading:d}=I(c=>ea(t,a,c),r);return i`
    <div class="view" data-view="sessions">
      <${Y}
        title="Sessions"
        note="Requests that clients have put together by a session ID, such as those of one agent."
      />
      <${T} error=${l} title="The sessions cannot be listed" />
      ${u===void 0&&!l&&i`<${E} text="Loading the sessions" />`}
      <div class=${`list-and-details ${s===void 0?"":"has-details"}`}>
        ${u!==void 0&&i`
          <div class=${`list stack ${d?"stale":""}`}>
            <${na} sessions=${u} opened=${s} />
          </div>
        `}
        ${s!==void 0&&i`
          <${ra} key=${s} id=${s} session=${t} times=${a} />
        `}
      </div>
    </div>
  `}function Qi(e,t){let{from:s,isOpen:n,to:o}=tt(e,N(),t),r=a=>new Date(a).toISOString();return{from:r(s),...!n&&{to:r(o)}}}async function ea(e,t,s){let n={...t,group_by:"session",limit:String(Nn)},{data:o}=await S(P(e,"usage",n),{signal:s});return o.filter(r=>r.session!==null)}function In(e){return`#/sessions/${encodeURIComponent(e)}`}function ne(e,t,s,n,o={}){return{id:e,title:t,of:s,text:n,isNumber:!0,...o}}var ta=[{id:"session",title:"Session",of:e=>e.session,isRisingFirst:!0},ne("requests","Requests",({requests:e})=>e,$,{card:"c",mark:"requests"}),ne("errors","Failed",({errors:e})=>e>0?e:void 0,$),ne("input","Input",e=>e.input_tokens,A,{hint:"Input tokens",panel:"hide"}),ne("cached","Cached",sa,e=>C(e,1),{hint:"The share of the input that came from prompt caches",card:"d",mark:"cached"}),ne("moves","Moves",e=>e.affinity_moves>0?e.affinity_moves:void 0,$,{hint:"How often it moved to another target"}),ne("saved","Saved",e=>e.saved_usd>0?e.saved_usd:void 0,y,{hint:"What caches have saved",panel:"hide"}),ne("cost","Cost",e=>e.cost_usd,(e,t)=>i`<span title=${`$${e}`}>${t.unpriced_requests>0?"\u2265 ":""}${y(e)}</span>`,{card:"b"})];function sa(e){return e.input_tokens>0?e.cached_input_tokens/e.input_tokens:void 0}function na({sessions:e,opened:t}){return e.length===0?i`
      <p class="card empty">
        No session in this time. A client names one by the header <code>x-sluice-session</code>.
      </p>
    `:i`
    <${H}
      label="Sessions"
      columns=${ta}
      rows=${e}
      idOf=${s=>s.session}
      hrefOf=${s=>In(s.session)}
      actionsOf=${s=>[{text:"Open",href:In(s.session)},{text:"Its requests",href:q({...te,session:s.session})},{text:"Copy the ID",copy:s.session}]}
      order=${{id:"cost",isRising:!1}}
      current=${t}
      hasPanel=${t!==void 0}
      onClose=${t===void 0?void 0:Pn}
    />
    <p class="faint small" role="status">
      ${$(e.length)} ${e.length===Nn?"or more ":""}sessions
    </p>
  `}function Pn(){location.hash="#/sessions"}async function oa(e,t,s,n){let o=[],r;for(let a=0;a<zi&&r!==null;a++){let u={...s,session:t,limit:String(Yi),...r&&{before:r}},{data:l,next:d}=await S(P(e,"requests",u),{signal:n});o.push(...l),r=d}return{turns:En(o),hasMore:r!==null}}function ra({id:e,session:t,times:s}){let{data:n,error:o}=I(r=>oa(t,e,s,r),[e,s]);return i`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${he} text=${e} />
        </h2>
        <${ms} icon="close" label="Close the session" onClick=${Pn} />
      </header>
      <div class="stack padded">
        <${T} error=${o} title="The session cannot be shown" />
        ${!n&&!o&&i`<${E} />`}
        ${n?.turns.length===0&&i`<p>This session has no request in this time.</p>`}
        ${n?.turns.length>0&&i`<${ia} ...${n} />`}
      </div>
    </section>
  `}function ia({turns:e,hasMore:t}){let{text:s,title:n}=Ln(e),o=W(()=>aa(e),[e]),r=e.findLast(a=>a.agent)?.agent;return i`
    <p class="said">${n}</p>
    <p class="soft small">${s}${r&&` Agent: ${r}.`}</p>
    ${t&&i`<p class="hint">The newest ${$(e.length)} requests.</p>`}
    <${H} label="Requests of the session" columns=${o} rows=${e}
      idOf=${a=>`${a.time} ${a.id}`}
      hrefOf=${a=>q(te,a.id,a.time)}
      order=${{id:"number",isRising:!0}} />
  `}function aa(e){let t=Math.max(1,...e.map(s=>s.input_tokens));return[{id:"number",title:"No.",of:({number:s})=>s,isRisingFirst:!0,cell:({number:s,time:n})=>i`<span title=${J(n)}>${s}</span>`},{id:"provider",title:"Provider",card:"b",of:({provider:s})=>s,cell:s=>i`
          ${s.hasMoved&&i`
            <span class="badge">Moved</span>
          `}
          ${s.provider===null?"\u2013":i`<${he} text=${s.provider} />`}
          ${s.status>=400&&i`
            <${Ke} row=${s} />
          `}
        `},{id:"input",title:"Input",hint:"Input tokens; the dark part was cached",card:"c",of:s=>s.input_tokens,cell:s=>i`<${ua} turn=${s} most=${t} />`},ne("first","First",s=>s.first_token_ms,w,{hint:"Time to first content"}),ne("cost","Cost",s=>s.cost_usd,y,{card:"d"})]}function ua({turn:{cached_input_tokens:e,input_tokens:t},most:s}){let n=`${$(e)} of ${$(t)} from the cache`;return i`
    <span class="input-bar" title=${n}>
      <span class="input-track" style=${{width:`${48*t/s}px`}}>
        <span style=${{width:`${t===0?0:100*e/t}%`}}></span>
      </span>
      ${A(t)}
    </span>
  `}var zn={};me(zn,{default:()=>Yn});var la=3e3;function Bn({id:e,hasAdmin:t,onClose:s}){let n=t?"/v1/admin/providers":"/v1/providers",{data:o,error:r,reload:a}=I(l=>S(n,{signal:l}),[n]);ve(a,la);let u=o?.data.find(l=>l.id===e);return i`
    <${G} title=${`Provider ${e}`} onClose=${s}>
      <div class="stack">
        <${T} error=${r} />
        ${!o&&!r&&i`<${E} />`}
        ${o&&!u&&i`<p>This provider is no longer configured.</p>`}
        ${u&&i`<${ca} provider=${u} />`}
      </div>
      <//>
  `}function ca({provider:e}){let t=zt(e,"breakers"),s=zt(e,"learned_rejections");return i`
    <p class="row soft">
      <span>Kind <code>${e.kind}</code></span>
      <span>${pa(e)}</span>
      ${e.workers?.length>1&&i`<span>${e.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${Yt}
      label="Circuit breakers"
      columns=${["Model","State","Recent failures","Tries again"]}
      rows=${t.map(({worker:n,model:o,state:r,failures:a,tries_again_in_ms:u})=>[Qt(o,n),i`<${rt} state=${r} />`,a,u===void 0?"\u2013":`in ${w(u)}`])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${da} provider=${e} />
    <h3>Learned rejections</h3>
    <${Yt}
      label="Learned rejections"
      columns=${["Model","What the vendor rejects"]}
      rows=${s.map(({worker:n,model:o,...r})=>[Qt(o,n),i`<span class="mono wrap-anywhere">${$a(r)}</span>`])}
      empty="None."
    />
  `}function da({provider:e}){let t=zt(e,"suspended_keys");return e.workers===void 0&&e.keys?.suspended>0?i`<p>${e.keys.suspended} of ${e.keys.configured} keys are suspended.</p>`:i`
    <${Yt}
      label="Suspended keys"
      columns=${["Key","Model","Reason","Ends"]}
      rows=${t.map(({worker:s,key:n,model:o,reason:r,ends_in_ms:a})=>[Qt(fa(e,n),s),o??"all",r,`in ${w(a)}`])}
      empty="None."
    />
  `}function Yt({label:e,columns:t,rows:s,empty:n}){return s.length===0?i`<p class="soft">${n}</p>`:i`
    <${ce} label=${e}>
      <thead>
        <tr>${t.map(o=>i`<th key=${o} scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${s.map((o,r)=>i`
            <tr key=${r}>${o.map((a,u)=>i`<td key=${u}>${a}</td>`)}</tr>
          `)}
      </tbody>
      <//>
  `}function zt({workers:e,...t},s){if(e===void 0)return Array.isArray(t[s])?t[s]:[];let n=e.length===1;return e.flatMap(o=>(o[s]??[]).map(r=>({...r,worker:n?void 0:o.worker})))}function Qt(e,t){return i`
    <span class="mono wrap-anywhere">${e}</span>
    ${t!==void 0&&i`<span class="faint small"> worker ${t}</span>`}
  `}function fa({keys:e},t){return(Array.isArray(e)?e.find(n=>n.index===t):void 0)?.fingerprint??`key ${t}`}function pa({keys:e}){let t=Array.isArray(e)?e.length:e?.configured??0;return t===1?"1 key":`${t} keys`}function $a(e){return Object.entries(e).map(([t,s])=>`${t}: ${typeof s=="string"?s:JSON.stringify(s)}`).join(", ")}var ma=[...Dt.keys()],Hn={id:"state",isRising:!0};function jn({providers:e,since:t,now:s,hasAdmin:n,opened:o}){let[r,a]=k(null),u=W(()=>ba(s),[s]);if(e.length===0)return i`<p class="card empty">No provider is enabled.</p>`;let l=({id:c})=>[{text:"Breakers and keys",href:Un(c)},{text:"Its requests",href:q({...te,provider:c})},{text:"Its failures",href:q({...te,provider:c,status:"error"})},...n?[{text:"Reset\u2026",run:()=>a(c)}]:[],{text:"Copy the name",copy:c}],d=()=>location.hash="#/status";return i`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">Providers</h2>
        ${t&&i`
          <span class="faint small">Attempts and durations since ${se(t)}</span>
        `}
      </div>
      <${H} label="Providers" columns=${u} rows=${Pt(e)}
        idOf=${({id:c})=>c} hrefOf=${({id:c})=>Un(c)} actionsOf=${l}
        order=${Hn} current=${o} />
    </section>
    ${o!==void 0&&i`
      <${Bn} id=${o} hasAdmin=${n} onClose=${d} />
    `}
    ${r!==null&&i`<${va} id=${r} onClose=${()=>a(null)} />`}
  `}function Un(e){return`#/status/${encodeURIComponent(e)}`}function Kn(e){return[{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({state:t})=>ma.indexOf(t),cell:({state:t})=>i`<${ha} state=${t} />`},{id:"since",title:"Since",of:({health:t,state:s})=>Qe(s)||s==="ok"?t?.since:void 0,text:t=>i`<span title=${J(t)}>${se(t,e)}</span>`},{id:"evidence",title:"Evidence",isProse:!0,card:"c",of:t=>Wn(t,e),cell:t=>i`<${ga} entry=${t} now=${e} />`}]}function ha({state:e}){return e==="limited"?i`<span class="st slow">${Dt.get(e).text}</span>`:i`<${Ce} state=${e} />`}function Wn({health:e,last_failure:t},s){let n=e==null?"":ge(e,s),o=t?`${As(t)}, ${ys(t.time,s)}`:"";return[n,o].filter(r=>r!=="").join("; ")}function ga({entry:e,now:t}){let{last_failure:s}=e,n=Wn(e,t);if(!s)return i`<span title=${n}>${n||"\u2013"}</span>`;let{request:o,time:r}=s;return i`<a class="failure" href=${q(te,o,r)} title=${n}>${n}</a>`}function ba(e){return[{id:"provider",title:"Provider",of:({id:t})=>t,isRisingFirst:!0},{id:"kind",title:"Kind",of:({id:t,kind:s})=>s===t?void 0:s},...Kn(e),{id:"history",title:"24 h, failed",hint:"A bar for each hour",cell:({history:t})=>i`<${ya} history=${t} />`},{id:"in_flight",title:"In flight",isNumber:!0,of:t=>t.in_flight,text:$},...Gn(),{id:"rescued",title:"Rescued",isNumber:!0,of:({rescued:t})=>t,text:$,hint:"Failed attempts of requests that succeeded after all"},{id:"p50",title:"p50",isNumber:!0,of:t=>t.p50_ms,text:w},{id:"p95",title:"p95",isNumber:!0,of:t=>t.p95_ms,text:w},Xn(),{id:"keys",title:"Suspended",hint:"Suspended keys",isNumber:!0,of:t=>t.resting_keys>0?t.resting_keys:void 0,text:(t,{keys:s})=>`${t} of ${s} keys`}]}function Gn(){return[{id:"attempts",title:"Attempts",isNumber:!0,card:"d",mark:"attempts",of:({attempts:e})=>e,text:$},{id:"failed",title:"Failed",isNumber:!0,of:e=>e.failed_attempts,text:(e,{attempts:t})=>`${$(e)}${e>0?`, ${C(e,t)}`:""}`}]}function Xn(){return{id:"breaker",title:"Breaker",of:({breaker:e})=>e==="closed"?void 0:e,cell:({breaker:e,tries_again_in_ms:t})=>i`
        ${e==="closed"?i`<span class="faint">Closed</span>`:i`<${rt} state=${e} />`}
          ${t>0&&i`<span class="faint small"> tries again in ${w(t)}</span>`}
      `}}function ya({history:e}){let t=Rs(e);return i`
    <span class="history" role="img" aria-label=${t} title=${t}>
      ${e.map((s,n)=>i`<span key=${n} class=${Es(s)??"none"}></span>`)}
    </span>
  `}function va({id:e,onClose:t}){let[s,n]=k({}),o=async()=>{n({isBusy:!0});let l=`/v1/admin/providers/${encodeURIComponent(e)}/reset`;try{n({cleared:(await S(l,{method:"POST"})).cleared})}catch(d){n({error:d})}},{cleared:r,error:a,isBusy:u}=s;return i`
    <${G} title=${`Reset ${e}`} onClose=${t} class="narrow">
      <div class="stack">
        ${r===void 0?i`<p>
            This closes the circuit breakers, resumes the suspended keys and forgets the learned
            rejections of <code>${e}</code>, in every worker.
          </p>`:i`<p role="status">
            Cleared: ${r.breakers} breakers, ${r.suspended_keys} suspended keys,
            ${" "}${r.learned_rejections} learned rejections.
          </p>`}
        <${T} error=${a} title="Not reset" />
        <div class="row end">
          <button type="button" onClick=${t}>${r?"Close":"Cancel"}</button>
          ${!r&&i`
            <button type="button" class="primary" onClick=${o} disabled=${u}>Reset</button>
          `}
        </div>
      </div>
      <//>
  `}function Jn({models:e,now:t}){let s=W(()=>[{id:"model",title:"Model",of:({id:n})=>n,isRisingFirst:!0},{id:"provider",title:"Provider",of:({provider:n})=>n,text:n=>i`<${he} text=${n} />`},...Kn(t),...Gn(),Xn()],[t]);return e.length===0?null:i`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${H} label="Targets" columns=${s} rows=${Pt(e)}
        idOf=${({id:n,provider:o})=>JSON.stringify([n,o])} order=${Hn} />
    </section>
  `}var ka=[{id:"provider",title:"Provider",of:({id:e})=>e,isRisingFirst:!0},{id:"kind",title:"Kind",of:({kind:e})=>e,card:"b"},{id:"reason",title:"Reason",isProse:!0,card:"c2",of:({reason:e})=>e??"unknown",text:e=>i`<span title=${e}>${e}</span>`}];function Vn({providers:e}){return e.length===0?null:i`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${H} label="Disabled providers" columns=${ka} rows=${e}
        idOf=${({id:t})=>t} order=${{id:"provider",isRising:!0}} />
    </section>
  `}var es=120,Re=26,Zn=60;function mt({values:e,tone:t=""}){let s=Math.max(1,...e),n=Zn-e.length,o=a=>((n+a)/(Zn-1)*es).toFixed(1),r=e.map((a,u)=>{let l=Re-1-a/s*(Re-3);return`${o(u)},${l.toFixed(1)}`}).join(" ");return i`
    <svg
      class=${`sparkline ${t}`}
      height=${Re}
      viewBox=${`0 0 ${es} ${Re}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon
        points=${`${o(0)},${Re} ${r} ${es},${Re}`}
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
  `}var wa=.05;function Yn({route:e}){let t=j(),{state:s,history:n,isLive:o,error:r}=Ls(P(t,"live")),a=t.hasAdmin?"All providers of this gateway.":"The providers of the models that your key may use.";return i`
    <div class="view" data-view="status">
      <${Y} title="Providers" note=${a}>
        <${Sa} isLive=${o} state=${s} error=${r} />
      <//>
      <${T} error=${r} title="No live state" />
      ${s===void 0?!r&&i`<${E} text="Connecting" />`:i`
        <${_a} state=${s} history=${n} opened=${e.path[0]}
          hasAdmin=${t.hasAdmin} />
      `}
    </div>
  `}function _a({state:e,history:t,hasAdmin:s,opened:n}){let o=e.providers.filter(u=>u.enabled),r=e.providers.filter(u=>!u.enabled),a=Date.parse(e.at);return i`
    <${xa} state=${e} now=${a} />
    <${Ta} config=${e.config} />
    <${Oa} state=${e} history=${t} enabled=${o.length} />
    <${jn} providers=${o} since=${e.since} now=${a} hasAdmin=${s}
      opened=${n} />
    <${Jn} models=${e.models??[]} now=${a} />
    <${Vn} providers=${r} />
  `}function xa({state:e,now:t}){let s=Ms(e,t);if(s.length===0)return i`
      <p class="banner good" role="status">
        Nothing is wrong now: no target fails, is slow or has suspended keys.
      </p>
    `;let n=s.some(({tone:o})=>o==="bad");return i`
    <section class=${`banner ${n?"bad":"warn"}`} aria-labelledby="problems-title">
      <h2 id="problems-title">
        ${s.length===1?"1 provider has":`${s.length} providers have`} a problem now
      </h2>
      <ul class="problems">
        ${s.map(({id:o,text:r})=>i`
            <li key=${o}><strong class="mono">${o}</strong> ${r}</li>
          `)}
      </ul>
    </section>
  `}function Sa({isLive:e,state:t,error:s}){return e?i`
      <span class="live-mark good">
        <span class="dot" aria-hidden="true"></span>
        <span role="status">Live</span>
        <time class="faint mono">${se(t.at)}</time>
      </span>
    `:i`
    <span class="live-mark">
      <span class="dot" aria-hidden="true"></span>
      <span role="status">${t===void 0&&!s?"Connecting":"Not live"}</span>
      ${t&&i`<time class="faint mono">last at ${se(t.at)}</time>`}
    </span>
  `}function Oa({state:e,history:t,enabled:s}){let{in_flight:n,requests_per_second:o,errors_per_second:r,providers:a,config:u}=e,l=o>0?r/o:0;return i`
    <dl class="figure-grid card">
      <${L} label="In flight" value=${$(n)}>
        <${mt} values=${t.map(d=>d.in_flight)} />
        <//>
        <${L} label="Requests per second" value=${Fe(o)}>
          <${mt} values=${t.map(d=>d.requests_per_second??0)} />
          <//>
          <${L}
            label="Errors per second"
            value=${Fe(r)}
            note=${l>0?`${C(l,1)} of requests`:""}
            tone=${l>=wa?"bad":""}
          >
        <${mt} values=${t.map(d=>d.errors_per_second??0)} tone="bad" />
      <//>
      <${L}
        label="Providers enabled"
        value=${`${s} of ${a.length}`}
      />
      ${u&&i`
        <${L}
          label="Configuration"
          value=${u.valid?"Valid":"Stale"}
          tone=${u.valid?"":"warn"}
          note=${u.loaded_at&&`loaded ${se(u.loaded_at)}`}
        />
      `}
    </dl>
  `}function Ta({config:e}){if(e===void 0||e.valid)return null;let{faults:t=[],loaded_at:s,reason:n}=e;return i`
    <section class="banner warn" role="alert" aria-labelledby="config-faults">
      <h2 id="config-faults">The changed configuration is not valid</h2>
      <p>
        The gateway still uses the configuration
        ${s?` that it loaded on ${J(s)}.`:" that it loaded before."}
      </p>
      ${t.length===0&&n&&i`<p>${n}</p>`}
      ${t.length>0&&i`
        <ul class="faults mono">
          ${t.map((o,r)=>i`<li key=${r}>${o}</li>`)}
        </ul>
      `}
    </section>
  `}var Fo={};me(Fo,{default:()=>Po});var ht=36e5,Ca=48*ht,qa="month",oe=["key","team","owner","model","provider","tag","end_user"],Ma=["requests","errors","tokens","cost","latency"],Je={by:"model",then:"",prefix:"",show:"cost",tab:"use",...Object.fromEntries(oe.map(e=>[e,""]))};function gt(e){let{by:t,show:s,then:n}=Object.fromEntries(e),o=oe.includes(t)?t:Je.by;return{...et(e,qa),by:o,then:oe.includes(n)&&n!==o?n:"",prefix:e.get("prefix")??"",show:Ma.includes(s)?s:Je.show,tab:e.get("tab")==="bill"?"bill":Je.tab,...Object.fromEntries(oe.map(r=>[r,e.get(r)??""]))}}function Ee(e){return Object.fromEntries(oe.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function Le(e,t="usage"){let s=new URLSearchParams;_s(s,e);for(let n of Object.keys(Je))e[n]!==Je[n]&&s.set(n,e[n]);return`#/${t}?${s}`}function bt(e,t,s){let{from:n,isOpen:o,to:r}=tt(e,t,s),a=r-n<=Ca?"hour":"day",u=[],l=a==="hour"?n-n%ht:X(n,s);for(;l<r;)u.push(l),l=a==="hour"?l+ht:X(l,s,1);return{from:Math.min(n,u[0]??n),to:r,end:l,isOpen:o,unit:a,zone:s,starts:u}}function Qn(e,{unit:t,zone:s}){return t==="hour"?`${new Date(e).toISOString().slice(0,16)}Z`:ye(e,s)}function eo(e,{from:t,to:s,zone:n,isOpen:o}){let r=o?X(s-1,n):s;if(r<=t)return;let a=Math.round((r-t)/(24*ht)),l=e.range==="month"||e.range==="last-month"?Te(t,n,-1):X(t,n,-a),d=X(l,n,a);return{now:{from:t,to:r},before:{from:l,to:Math.min(d,t)}}}function yt({from:e,to:t},s){return{from:new Date(e).toISOString(),to:new Date(t).toISOString(),...s!=="UTC"&&{time_zone:s}}}var to=5,ts=[{id:"requests",name:"Requests",of:e=>e.requests,format:$,isWhole:!0},{id:"errors",name:"Errors",of:e=>e.errors,format:$,isWhole:!0},{id:"tokens",name:"Tokens",of:e=>e.input_tokens+e.output_tokens,format:A,isWhole:!0},{id:"cost",name:"Cost",of:R,format:y,isWhole:!1},{id:"latency",name:"Duration",format:Aa,isWhole:!1,isLines:!0}];function Aa(e){return e===0?"0":w(e)}function oo(e){return ts.find(t=>t.id===e)}function R({cost_usd:e,unpriced_requests:t}){return t>0&&e===0?null:e}function K(e){if(e===void 0)return y(0);let t=R(e);return t===null?"unknown":e.unpriced_requests>0?`\u2265 ${y(t)}`:y(t)}function ro(e){let t=new Map;for(let{requests:s,tag:n}of e){let[,o]=/^([^:]+):./.exec(n??"")??[];o!==void 0&&t.set(o,(t.get(o)??0)+s)}return[...t].sort(([,s],[,n])=>n-s).map(([s])=>s)}function io(e,t){let s=`${t}:`;return e.flatMap(n=>n.tag?.startsWith(s)?[{...n,tag:n.tag.slice(s.length)}]:[])}function ao(e,t,s){let n="A request with several tags counts for each of them",o=t.reduce((a,u)=>a+u.requests,0);if(s||e===void 0||o<=e.requests)return`${n}, so the rows may add up to more than the total.`;let r=Ve(...t);return`${n}: the rows add up to ${$(r.requests)} requests and ${K(r)}, all requests are ${$(e.requests)} and ${K(e)}.`}function re(e,t){return e??(t===null?"all":t==="tag"?"untagged":`no ${t.replace("_"," ")}`)}function uo(e,t,{by:s,show:n}){let{unit:o}=t,r=oo(n),{times:a,positions:u}=co(t),l=new Map;for(let g of e){let v=u.get(g[o]);if(v===void 0)continue;let h=g[s]??null,x=l.get(h);x===void 0&&(x={name:re(h,s),values:a.map(()=>0),sums:Ve()},l.set(h,x)),x.values[v]=r.of(g),x.sums=Ve(x.sums,g)}let d=({sums:g})=>r.of(g)??-1,c=[...l.values()].sort((g,v)=>d(v)-d(g)),f=c.slice(0,to).map(g=>no(g,r)),p=c.slice(to),m=Ve(...c.map(({sums:g})=>g));return{metric:r,unit:o,zone:t.zone,isOpen:t.isOpen,times:fo(a,t),unpriced:n==="cost"?m.unpriced_requests:0,series:p.length===0?f:[...f,no(Ra(p),r,!0)]}}function lo(e,t,s){let{times:n,positions:o}=co(t),r=so.map(({name:a,member:u})=>({name:a,isOther:!1,isPartial:!1,total:s?.[u]??null,values:n.map(()=>null)}));for(let a of e){let u=o.get(a[t.unit]);u!==void 0&&so.forEach(({member:l},d)=>r[d].values[u]=a[l]??null)}return{metric:oo("latency"),unit:t.unit,zone:t.zone,isOpen:!1,times:fo(n,t),unpriced:0,series:r}}var so=[{name:"p95",member:"p95_ms"},{name:"p50",member:"p50_ms"},{name:"First token, p50",member:"first_token_p50_ms"}];function co(e){let{starts:t}=e,s=new Map(t.map((n,o)=>[Qn(n,e),o]));return{times:t,positions:s}}function fo(e,{zone:t}){return e.map(s=>(s+ws(s,t))/1e3)}function ss(e,t){if(!t||e===null||e===void 0)return"";let s=Math.round(100*(e-t)/t);return`${s>0?"+":s<0?"\u2212":"\xB1"}${$(Math.abs(s))} %`}function no({name:e,values:t,sums:s},n,o=!1){let r=n.id==="cost"&&s.unpriced_requests>0;return{name:e,isOther:o,values:t,total:n.of(s),isPartial:r}}function Ra(e){return{name:e.length===1?"1 other":`${e.length} others`,values:e[0].values.map((t,s)=>La(e.map(n=>n.values[s]))),sums:Ve(...e.map(({sums:t})=>t))}}var Ea=["requests","errors","input_tokens","output_tokens","cost_usd","unpriced_requests","unused_cost_usd","cached_input_tokens"];function Ve(...e){return Object.fromEntries(Ea.map(t=>[t,e.reduce((s,n)=>s+(n[t]??0),0)]))}function La(e){let t=e.filter(s=>s!==null);return t.length===0?null:t.reduce((s,n)=>s+n,0)}var Ia=[{id:"name",title:"Billed by",isRisingFirst:!0,card:"a",of:e=>re(e.provider,"provider")},{id:"cost",title:"Cost",of:R,cell:K,isNumber:!0,card:"b"},{id:"unused",title:"Paid but not used",isNumber:!0,card:"d",hint:"Attempts that failed and were billed, and hedges that lost",of:e=>e.unused_cost_usd,text:y},{id:"share",title:"Of its cost",isNumber:!0,of:e=>R(e)?e.unused_cost_usd/R(e):void 0,text:e=>C(e,1)},{id:"requests",title:"Answered",isNumber:!0,card:"c",mark:"Answered",hint:"Requests that the provider answered: attempts that it bills may be more",of:e=>e.requests,text:$},{id:"input",title:"Input",of:e=>e.input_tokens,text:A,isNumber:!0},{id:"cached",title:"Cached",of:({cached_input_tokens:e})=>e,text:A,isNumber:!0},{id:"output",title:"Output",of:e=>e.output_tokens,text:A,isNumber:!0}];function po({entries:e,total:t}){let s=t?.unused_cost_usd??0;return i`
    <p>
      ${s>0?i`<strong>${y(s)}</strong> was paid for answers that were not used, ${C(s,R(t)??0)} of the cost.`:"Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${H} label="Cost by provider" columns=${Ia} rows=${e}
      idOf=${n=>String(n.provider)} order=${{id:"cost",isRising:!1}} />
  `}var Na="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),$o={hour:[1,2,3,6,12,24],day:[1,2,7,14,28,56,112,364]};function mo(e,t,s){let n=e[0]?.values.length??0,o=s.width/n,r=Math.min(72,Math.max(1,o*.75)),a=Array(n).fill(0),u=l=>s.top+s.height*(1-l/t);return e.map(({values:l})=>l.map((c,f)=>{if(!c)return"";let p=a[f];a[f]+=c;let m=s.left+o*(f+.5)-r/2,g=u(a[f]);return`M${_e(m)} ${_e(g)}h${_e(r)}V${_e(u(p))}h${_e(-r)}z`}).join(""))}function ho(e,t,s){let n=s.width/(e[0]?.values.length??1);return e.map(({values:o})=>o.map((r,a)=>{if(r===null)return"";let u=_e(s.left+n*(a+.5)),l=_e(s.top+s.height*(1-r/t));return(o[a-1]??null)===null?`M${u} ${l}h0`:`L${u} ${l}`}).join(""))}function go(e,{isWhole:t,isLines:s=!1}){let o=(e[0]?.values.map((d,c)=>{let f=e.map(({values:p})=>p[c]??0);return s?Math.max(...f):f.reduce((p,m)=>p+m,0)})??[]).reduce((d,c)=>Math.max(d,c),0);if(o===0)return t?[0,1]:[0,.01];let r=10**Math.floor(Math.log10(o/5)),a=[1,2,5,10].find(d=>o/(d*r)<=5)??10,u=t?Math.max(1,a*r):a*r,l=Math.ceil(o/u-1e-9);return Array.from({length:l+1},(d,c)=>Number((c*u).toPrecision(12)))}function bo(e,t,s){let n=Math.max(1,Math.floor(s/64)),o=$o[t].find(r=>e.length/r<=n)??$o[t].at(-1);return e.flatMap((r,a)=>(t==="hour"?new Date(r*1e3).getUTCHours():a)%o===0?[{index:a,text:Da(r,t)}]:[])}function Da(e,t){let s=new Date(e*1e3);return t==="hour"?s.toISOString().slice(11,16):`${s.getUTCDate()} ${Na[s.getUTCMonth()]}`}function ns(e,t){let s=new Date(e*1e3).toISOString();return t==="hour"?`${s.slice(0,10)} ${s.slice(11,16)}`:s.slice(0,10)}function _e(e){return Math.round(e*10)/10}var vt=240,fe=64,yo=8,kt=10,Pa=26;function vo({chart:e,linkOf:t}){let[s,n]=k(null),{isOpen:o,metric:r,unit:a,times:u,series:l,unpriced:d,zone:c}=e,f=s!==null&&s<u.length?s:null;return i`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${r.name} per ${a}</strong>
        <span class="soft small">
          ${f===null?`Times in ${c}${o&&a==="day"?"; today is not over":""}`:`${ns(u[f],a)} ${c}`}
        </span>
      </figcaption>
      <${Fa} chart=${e} hovered=${f} onHover=${n} linkOf=${t} />
      <ul class="legend">
        ${l.map(({name:p,values:m,isOther:g,...v},h)=>i`
            <li key=${`${h}${p}`}>
              <span class=${`swatch ${wo(g,h)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${p}</span>
              <strong>
                ${f===null?ko(v,r):os(m[f],r)}
              </strong>
            </li>
          `)}
      </ul>
      ${d>0&&i`
        <p class="hint">
          The price of ${d} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${Ba} chart=${e} linkOf=${t} zone=${c} />
    </figure>
  `}function Fa({chart:e,hovered:t,onHover:s,linkOf:n}){let o=F(null),r=ft(o),{isOpen:a,metric:u,unit:l,times:d,series:c}=e,f={left:fe,top:kt,width:r-fe-yo,height:vt-kt-Pa},p=f.width/d.length,m=go(c,u),g=u.isLines?ho:mo,v=r===0?[]:g(c,m.at(-1),f),h=b=>f.top+f.height*(1-b/m.at(-1)),x=b=>{let O=b.clientX-o.current.getBoundingClientRect().left-fe,B=Math.floor(O/p);s(B>=0&&B<d.length?B:null)},_=`${u.name} per ${l}: ${c.map(({name:b,...O})=>`${b} ${ko(O,u)}`).join(", ")}`;return i`
    <div
      class=${u.isLines?"plot lines":"plot"}
      ref=${o}
      title="Show the requests of a time"
      onPointerMove=${x}
      onPointerLeave=${()=>s(null)}
      onClick=${()=>t!==null&&(location.hash=n(t))}
    >
      <svg
        width=${r}
        height=${vt}
        viewBox=${`0 0 ${r} ${vt}`}
        role="img"
        aria-label=${_}
      >
        ${t!==null&&i`
          <rect
            class="hovered"
            x=${fe+t*p}
            y=${kt}
            width=${p}
            height=${f.height}
          />
        `}
        ${m.map(b=>i`
            <g key=${b}>
              <line class="grid" x1=${fe} x2=${r-yo} y1=${h(b)} y2=${h(b)} />
              <text x=${fe-8} y=${h(b)+4} text-anchor="end">${u.format(b)}</text>
            </g>
          `)}
        ${v.map((b,O)=>i`<path key=${O} class=${wo(c[O].isOther,O)} d=${b} />`)}
        ${a&&!u.isLines&&r>0&&i`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${fe+(d.length-1)*p} y=${kt} width=${p}
            height=${f.height} />
        `}
        ${r>0&&bo(d,l,f.width).map(({index:b,text:O})=>i`
            <text
              key=${b}
              x=${fe+(b+.5)*p}
              y=${vt-8}
              text-anchor="middle"
            >${O}</text>
          `)}
      </svg>
    </div>
  `}function os(e,t){return e===null?t.isLines?"\u2013":"unknown":t.format(e)}function ko({total:e,isPartial:t},s){return`${t&&e!==null?"\u2265 ":""}${os(e,s)}`}function wo(e,t){return e?"series-other":`series-${t+1}`}function Ba({chart:{times:e,series:t,metric:s,unit:n},linkOf:o,zone:r}){let[a,u]=k(!1);return i`
    <details onToggle=${l=>u(l.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${a&&i`
        <${ce} label=${`${s.name} per ${n}`}>
          <thead>
            <tr>
              <th scope="col">Time, ${r}</th>
              ${t.map(({name:l},d)=>i`<th key=${d} scope="col" class="number">${l}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${e.map((l,d)=>i`
                <tr key=${l}>
                  <th scope="row" class="name">
                    <a href=${o(d)}>${ns(l,n)}</a>
                  </th>
                  ${t.map(({values:c},f)=>i`
                      <td key=${f} class="number">${os(c[d],s)}</td>
                    `)}
                </tr>
              `)}
          </tbody>
          <//>
      `}
    </details>
  `}var xo=["requests","errors","input_tokens","cached_input_tokens","output_tokens","cost_usd","unused_cost_usd","unpriced_requests"];function rs({by:e,period:{from:t,to:s,zone:n},then:o}){let r=[e,o].filter(a=>a);return`usage_${[ye(t,n),ye(s-1,n),...r].join("_")}.csv`}function So({by:e,detailed:t,groups:s,then:n,total:o}){let r=[e,n].filter(u=>u),a=[[...r,...xo]];for(let u of t??s)a.push([...r.map(l=>re(u[l],l)),..._o(u)]);return a.push([...r.map((u,l)=>l===0?"Total":""),..._o(o??{})]),a.map(u=>u.map(Ua).join(",")+`
`).join("")}function _o(e){return xo.map(t=>e[t]??(t==="cost_usd"?"":0))}function Ua(e){if(typeof e=="number")return String(e);let t=/^[=+\-@\t\r]/.test(e)?`'${e}`:e;return/[",;\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t}function Oo({data:e}){let t=e.detailed??e.groups,s=e.hasMore?`the first ${$(t.length)} rows`:`${$(t.length)} rows`;return i`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${rs(e)}
      onClick=${()=>ut(rs(e),So(e))}>CSV, ${s}</button>
  `}var Ha={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"};function To({choice:e,session:t,onChange:s}){let[n,o]=k(e),r=lt(t),a=oe.map(c=>e[c]).join(`
`);U(()=>o(e),[a]);let u=(c,f)=>{let p=f.trim();p!==e[c]&&s({[c]:p,...p!==""&&ja(c,e)})},l=new Set(["key","team","owner"]),d=oe.filter(c=>!l.has(c)||t.hasAdmin);return i`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${c=>c.preventDefault()}
    >
      ${d.map(c=>i`
          <div class="field" key=${c}>
            <label for=${`usage-${c}`}>${Ha[c]}</label>
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
              ${r.of(c).map(f=>i`<option key=${f} value=${f} />`)}
            </datalist>
          </div>
        `)}
      ${a.trim()!==""&&i`
        <button type="button" class="quiet" onClick=${()=>s(Object.fromEntries(oe.map(c=>[c,""])))}>Clear</button>
      `}
    </form>
  `}function ja(e,{by:t}){let s=e==="tag"?"end_user":e==="end_user"?"tag":void 0;return s&&{[s]:"",...t===s&&{by:"model"}}}var Ka=864e5,Wa=7,Ga=3;function qo({spent:e,costs:t,now:s,zone:n,since:o=-1/0}){let r=X(s,n),a=[];for(let p=1;p<=Wa;p++){let m=X(r,n,-p);if(m<o)break;a.push(t.get(ye(m,n))??0)}if(a.length<Ga)return;let l=(Te(s,n,1)-s)/Ka,d=a.toSorted((p,m)=>p-m),c=a.reduce((p,m)=>p+m,0)/a.length,f=p=>e+p*l;return{usd:f(c),low:f(Co(d,.1)),high:f(Co(d,.9)),mean:c,left:l,days:a.length}}function Co(e,t){let s=t*(e.length-1),[n,o]=[e[Math.floor(s)],e[Math.ceil(s)]];return n+(o-n)*(s-Math.floor(s))}function Mo(e){let{budget:t,forecast:s,isMonth:n,now:o,rangeName:r,requests:a,spent:u,unpriced:l,zone:d}=e;if(a===0)return{title:`No requests: ${r.toLowerCase()}`,text:""};let c=u??0,f=l>0?"at least ":"";if(!n)return{title:`${r}: ${u===null?"an unknown cost":`${f}${y(c)}`}`,text:`${$(a)} requests.`};let p=be(d,{month:"long"}).format(o);if(s===void 0)return{title:`${p} has cost ${f}${y(c)} so far`,text:"A forecast needs three full days."};let m=t===void 0?0:s.usd-t,g=t===void 0?"":m>0?`, ${ie(m)} over the budgets`:`, ${ie(-m)} under the budgets`;return{title:`${p} will end near ${f}${ie(s.usd)}${g}`,text:`${y(c)} is spent. The forecast adds the mean of the last ${s.days} full days, ${y(s.mean)}, for the ${s.left.toFixed(1)} days that are left; it lies between ${ie(s.low)} and ${ie(s.high)}.`}}function ie(e){return e<100?y(e):`$${$(Number(e.toPrecision(3)))}`}var Xa=new Set(["(other)","(unreadable)"]);function Ao(e,{from:t,to:s},n={}){let o=Object.entries(Ee(e)).filter(([r])=>Be.includes(r));return q(nt({...te,...Object.fromEntries(o),...n},t,s))}function is(e,t,s,n,o=""){if(!(n==null||Xa.has(n)))return Be.includes(s)?Ao(e,t,{[s]:n,status:o}):Le({...e,[s]:n,by:"key",then:""})}function Ro(e,{end:t,starts:s},n){return Ao(e,{from:s[n],to:s[n+1]??t})}async function wt(e){let t=[],s=null;do{let n={limit:String(5e3),...s!==null&&{after:s}},o=await e(n);t.push(o.part),s=o.next??null}while(s!==null&&t.length<20);return{parts:t,hasMore:s!==null}}var Ja=2e4,Va=1e3,Za=8;function Eo(e,t,s){let n=Ee(t),o=m=>{let g=async(h,x,_=s)=>{let b={...yt(x,_),...n,...h!==""&&{group_by:h}},{parts:O,hasMore:B}=await wt(async Oe=>{let{data:M,next:V}=await S(P(e,"usage",{...b,...Oe}),{signal:m});return{part:M,next:V}});return{entries:O.flat(),hasMore:B}},v=()=>e.hasAdmin?S(`/v1/admin/keys?limit=${Va}`,{signal:m}).catch(()=>{}):S("/v1/usage?from=2100-01-01&to=2100-01-02",{signal:m});return Ya({choice:t,get:g,now:N(),zone:s,budgets:v})},{by:r,from:a,prefix:u,range:l,show:d,then:c,to:f}=t,p=[e.hasAdmin,l,a,f,r,c,u,s,d==="latency"];return I(o,[...p,JSON.stringify(n)])}async function Ya({choice:e,get:t,now:s,zone:n,budgets:o}){let{by:r,then:a}=e,u=bt(e,s,n),l=e.show==="latency",d=e.range==="month",c=d?{from:X(s,n,-Za),to:s+1}:void 0,[f,p,m,g,v,h,x]=await Promise.all([t("",u),t(r,u),a===""?void 0:t(`${r},${a}`,u),t("model,provider",u),c&&t("day",c),eu(e,t,u),d?o():void 0]),_=p.entries.length*u.starts.length,b=p.hasMore||_>Ja,O=await t(b||l?u.unit:`${u.unit},${r}`,u),B=f.entries[0],Oe=su(x,e),M=B===void 0?0:R(B),V=v&&qo({spent:M??0,now:s,zone:n,since:h.since,costs:new Map(v.entries.map(Q=>[Q.day,R(Q)??0]))}),Pe=Q=>r==="tag"&&e.prefix!==""?io(Q,e.prefix):Q;return{total:B,period:u,choice:e,by:r,then:a,isLatency:l,isTogether:b,budget:Oe,forecast:V,headline:{spent:M,forecast:V,budget:Oe,now:s,zone:n,isMonth:d,requests:B?.requests??0,unpriced:B?.unpriced_requests??0},groups:Pe(p.entries),hasMore:p.hasMore,detailed:m&&Pe(m.entries),prefixes:r==="tag"?ro(p.entries):[],series:b||l?O.entries:Pe(O.entries),compared:h.result,bill:za(g.entries),unpriced:g.entries.filter(({unpriced_requests:Q})=>Q>0).sort((Q,xr)=>xr.unpriced_requests-Q.unpriced_requests)}}function za(e){return[...Map.groupBy(e,({provider:t})=>t)].map(([t,s])=>({...Qa(s),provider:t}))}function Qa(e){let t={};for(let s of e)for(let[n,o]of Object.entries(s))typeof o=="number"&&(t[n]=(t[n]??0)+o);return{cost_usd:0,...t}}async function eu(e,t,s){let n=eo(e,s),o=Te(s.from,s.zone,-12),[r]=(await t("day",{from:o,to:s.to},"UTC")).entries.map(({day:c})=>c).sort(),a=r===void 0?s.to:Date.parse(r);if(n===void 0||a>n.before.from)return{since:a,result:void 0};let[u,l]=await Promise.all([t("",n.now),t("",n.before)]),d=u.entries[0]&&l.entries[0]?{now:u.entries[0],before:l.entries[0],name:tu(n.before,s.zone)}:void 0;return{since:a,result:d}}function tu({from:e,to:t},s){return be(s,{day:"numeric",month:"short"}).formatRange(e,t-1)}function su(e,t){if(e===void 0||["model","provider","tag","end_user"].some(r=>t[r]!==""))return;if(e.budget!==void 0)return nu(e.budget)?e.budget.limit_usd:void 0;if(e.has_more)return;let o=e.data.filter(r=>r.status==="active"&&["team","owner"].every(a=>t[a]===""||r[a]===t[a])&&(t.key===""||r.name===t.key)).map(({budget:r})=>r).filter(r=>r?.per==="month");return o.length===0?void 0:o.reduce((r,{usd:a})=>r+a,0)}function nu(e){return e?.renews_at?Date.parse(e.renews_at)-Date.parse(e.period_start)>27*864e5:!1}var Lo={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"},as=e=>({of:t=>t[e],text:A,isNumber:!0});function ou(e,t){let s=e?R(e)??0:0;return[{id:"cost",title:"Cost",of:R,cell:K,isNumber:!0,card:"b"},{id:"share",title:"Share",isNumber:!0,card:"d",of:n=>s>0?(R(n)??0)/s:void 0,cell:n=>C(R(n)??0,s)},{id:"requests",title:"Requests",isNumber:!0,card:"c",mark:"Requests",of:n=>n.requests,text:$},{id:"errors",title:"Errors",isNumber:!0,of:n=>n.errors||null,cell:n=>{let o=t(n,"error");return o?i`<a href=${o}>${$(n.errors)}</a>`:$(n.errors)}},{id:"input",title:"Input",hint:"Input tokens",...as("input_tokens")},{id:"cached",title:"Cached",hint:"Cached input",...as("cached_input_tokens")},{id:"output",title:"Output",hint:"Output tokens",...as("output_tokens")},...Kt.map(n=>({...n,isNumber:!0,of:o=>o[n.id]||null})),{id:"unused",title:"Not used",isNumber:!0,hint:"Cost of attempts whose answer was not used",of:n=>n.unused_cost_usd||null,text:y},{id:"p50",title:"p50",of:({p50_ms:n})=>n,text:w,isNumber:!0},{id:"p95",title:"p95",of:({p95_ms:n})=>n,text:w,isNumber:!0}]}function Io({entries:e,detailed:t,by:s,then:n,total:o,linkOf:r}){let[a,u]=k({id:"cost",isRising:!1}),l=Lo[s]+(n===""?"":`, ${Lo[n].toLowerCase()}`),d=[{id:"name",title:l,isRisingFirst:!0,card:"a",of:({isSub:f,...p})=>re(p[f?n:s],f?n:s)},...ou(o,r)],c=W(()=>{let f=d.find(({id:g})=>g===a.id),p=Et(e,f,a.isRising);if(t===void 0)return p;let m=Map.groupBy(t,g=>g[s]);return p.flatMap(g=>[g,...Et((m.get(g[s])??[]).map(v=>({...v,isSub:!0})),f,a.isRising)])},[e,t,a]);return i`
    <${H} label=${`Usage by ${l.toLowerCase()}`} columns=${d} rows=${c}
      idOf=${f=>JSON.stringify([f[s],f.isSub?f[n]:void 0])}
      hrefOf=${f=>f.isSub?void 0:r(f)}
      classOf=${({isSub:f})=>f?"sub":""} order=${a} onOrder=${u} />
  `}var ru=.05;function No({data:e}){let{budget:t,compared:s,forecast:n,total:o}=e,{requests:r=0,errors:a=0,input_tokens:u=0,output_tokens:l=0}=o??{},d=o?R(o):0;return i`
    <dl class="figure-grid card">
      <${L} label="Cost" value=${K(o)}
        note=${iu(t!==void 0&&`${C(d??0,t)} of ${y(t)}`,o?.unpriced_requests>0&&`${$(o.unpriced_requests)} with an unknown price`)} tone=${t!==void 0&&d>t?"bad":""} />
      ${n&&i`
        <${L} label="Forecast" value=${ie(n.usd)}
          note=${`${ie(n.low)} to ${ie(n.high)}`} />
      `}
      ${s&&i`
        <${L} label=${`Against ${s.name}`} value=${ss(R(s.now),R(s.before))||"\u2013"}
          note=${`${K(s.now)} against ${K(s.before)}, full days`} />
      `}
      <${L} label="Requests" value=${$(r)}
        note=${s&&ss(s.now.requests,s.before.requests)} />
      <${L} label="Errors" value=${$(a)}
        note=${a>0?`${(100*a/r).toFixed(1)} % of requests`:""}
        tone=${a>r*ru?"bad":""} />
      <${L} label="Input tokens" value=${A(u)} note=${au(o)} />
      <${L} label="Output tokens" value=${A(l)} note=${uu(o)} />
      ${ct([o]).map(({id:c,title:f,text:p})=>i`<${L} key=${c} label=${f} value=${p(o[c])} />`)}
      <${L} label="Duration, p50" value=${r>0?w(o.p50_ms):"\u2013"}
        note=${r>0?`p95 ${w(o.p95_ms)}`:""} />
    </dl>
  `}function iu(...e){return e.filter(t=>t).join(", ")}function au(e){return e?.cached_input_tokens>0?`${A(e.cached_input_tokens)} cached`:""}function uu(e){let t=e?.estimated_requests??0;return t>0?`${$(t)} requests estimated`:""}var lu=[["model","Model"],["provider","Provider"],["team","Team"],["owner","Owner"],["key","Key"],["tag","Tag"],["end_user","End user"]],Do=["tag","end_user"],cu=["team","owner","key"];function _t(e,t,s=""){let n=Do.filter(o=>t[o]!==""||o===s);return lu.filter(([o])=>(e.hasAdmin||!cu.includes(o))&&o!==s&&(!Do.includes(o)||n.every(r=>r===o)))}function du(e,t){let s=(r,a)=>r.some(([u])=>u===a),n=s(_t(e,t),t.by)?t.by:"model",o=s(_t(e,t,n),t.then)?t.then:"";return{...t,by:n,then:o}}function Po({route:e}){let t=j(),s=it(),n=du(t,gt(e.query)),{data:o,error:r,isLoading:a,reload:u}=Eo(t,n,s),l=f=>location.hash=Le({...n,...f}),{title:d,text:c}=o?Mo({...o.headline,rangeName:xs(n,s)}):{title:"Usage",text:""};return i`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${d}</h1>
          <p class="soft">${c} ${t.hasAdmin?"All keys.":"Usage of your key."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${u}
            disabled=${a}>Refresh</button>
          ${o&&i`<${Oo} data=${o} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>
            Print
          </button>
        </div>
      </header>
      <${To} choice=${n} session=${t} onChange=${l} />
      ${o&&i`<${fu} choice=${n} period=${o.period} />`}
      <${T} error=${r} title="No usage" />
      ${!o&&!r&&i`<${E} text="Loading the usage" />`}
      ${o&&i`
        <div class=${`stack wide ${a?"stale":""}`}>
          <${No} data=${o} />
          <${pu} entries=${o.unpriced} canSet=${t.hasAdmin} />
          <div class="row"><${le} label="Kind of report" value=${n.tab}
            options=${[["use","By use"],["bill","By bill"]]}
            onChange=${f=>l({tab:f})} /></div>
          ${o.groups.length===0?i`<div class="card empty">No request has ended in this time.</div>`:n.tab==="bill"?i`<${po} entries=${o.bill} total=${o.total} />`:i`
              <${$u} data=${o} choice=${n} session=${t} onChange=${l} />
            `}
        </div>
      `}
    </div>
  `}function fu({choice:e,period:t}){let s=Object.entries(Ee(e)).map(([n,o])=>`${n.replace("_"," ")} ${o}`);return i`
    <p class="only-print">
      ${[`${J(t.from)} to ${J(Math.min(t.to,N()))}`,...s].join(", ")}
    </p>
  `}function pu({entries:e,canSet:t}){if(e.length===0)return null;let s=e.reduce((o,r)=>o+r.unpriced_requests,0),n=[...new Set(e.map(({model:o})=>o??"(no model)"))];return i`
    <div class="to-do row spread">
      <p>
        <strong>${$(n.length)} ${n.length===1?"model has":"models have"} no
          price.</strong>${" "}
        ${$(s)} ${s===1?"request is":"requests are"} not in these
        sums:${" "}
        ${n.slice(0,12).map((o,r)=>i`${r>0&&", "}<code class="wrap-anywhere">${o}</code>`)}${n.length>12&&`, and ${$(n.length-12)} more`}.
      </p>
      ${t&&i`<a class="button" href="#/config">Set prices</a>`}
    </div>
  `}function $u({data:e,choice:t,session:s,onChange:n}){let{by:o,detailed:r,groups:a,hasMore:u,isLatency:l,isTogether:d,period:c,series:f,then:p,total:m}=e,g=l?lo(f,c,m):uo(f,c,{by:d?null:o,show:mu(t)}),v=(h,x)=>e.choice.prefix===""?is(e.choice,c,o,h[o],x):is(e.choice,c,o,`${e.choice.prefix}:${h[o]}`,x);return i`
    <div class="row spread">
      <div class="row">
        <${le} label="Group by" value=${t.by} options=${_t(s,t)}
          onChange=${h=>n({by:h,prefix:""})} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${t.then}
            onChange=${h=>n({then:h.target.value})}>
            <option value="">nothing</option>
            ${_t(s,t,t.by).map(([h,x])=>i`<option key=${h} value=${h}>${x}</option>`)}
          </select>
        ${o==="tag"&&e.prefixes.length>0&&i`
          <span class="small soft">of</span>
          <select class="inline" aria-label="Prefix of tags" value=${t.prefix}
            onChange=${h=>n({prefix:h.target.value})}>
              <option value="">all tags</option>
              ${e.prefixes.map(h=>i`<option key=${h} value=${h}>${h}:</option>`)}
            </select>
        `}
      </div>
      <${le} label="Figure of the chart" value=${t.show}
        options=${ts.map(({id:h,name:x})=>[h,x])}
        onChange=${h=>n({show:h})} />
    </div>
    <${vo} chart=${g} linkOf=${h=>Ro(e.choice,c,h)} />
    ${d&&!l&&i`
      <p class="hint">
        There are ${u?"more than ":""}${$(a.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${o==="tag"&&i`<p class="hint">${ao(m,a,u)}</p>`}
    <section>
      <${Io} entries=${a} detailed=${r} by=${o} then=${p}
        total=${m}
        linkOf=${v} />
    </section>
  `}function mu({show:e}){return e==="latency"?"requests":e}var tr={};me(tr,{default:()=>er});var Bo=Object.fromEntries(["requests","input_tokens","cached_input_tokens","cache_write_tokens","cost_usd","unpriced_requests","saved_usd","cache_write_usd","unpriced_cached_requests","response_cache_hits","response_cache_misses","response_cache_saved_usd","unpriced_response_cache_hits","queued_requests","queued_ms","hedged_requests","hedge_usd","unpriced_hedges","price_ordered_requests","price_order_saved_usd","unpriced_price_orders","affinity_hits","affinity_moves","affinity_starts","affinity_input_tokens","affinity_cached_input_tokens","affinity_saved_usd"].map(e=>[e,0]));function ae(e){let{saved_usd:t,cache_write_usd:s,response_cache_saved_usd:n,hedge_usd:o}=e,{price_order_saved_usd:r}=e,a=t-n;return{prompt:a,reads:a+s,writes:s,response:n,order:r,hedges:o,net:t+r-o,unknown:e.unpriced_cached_requests+e.unpriced_response_cache_hits+e.unpriced_hedges+e.unpriced_price_orders}}function Uo(e){let t=R(e),{net:s,unknown:n}=ae(e);return t===null||n>0||e.unpriced_requests>0?null:t+s>0?s/(t+s):null}function Ho(e){return{input:e.input_tokens-e.affinity_input_tokens,cached:e.cached_input_tokens-e.affinity_cached_input_tokens}}function jo(e){return e.affinity_hits+e.affinity_moves+e.affinity_starts}var Ko={prompt:{text:"On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. Most other vendors cache by themselves.",config:`routing:
  prompt_caching: auto`},sessions:{text:"Sends the requests of a session to the target whose cache has its prompt.",config:`routing:
  affinity: { ttl: auto }`},order:{text:"Asks the cheapest of equal targets first. A nested list is a group of equals.",config:`aliases:
  cheapest:
    targets: [[model-a, model-b]]
    balance: price`},response:{text:"Answers equal requests with a temperature of 0 from memory, for each key separately.",config:`routing:
  cache: { ttl: 5m }`},hedges:{text:"Sends the request to a second target if the first one takes unusually long. It costs money and saves time.",config:`routing:
  hedge: { after: p90, share: 5%, usd_per_hour: 2 }`},queue:{text:"Requests wait for a limit instead of getting a 429.",config:`routing:
  queue: { max_wait: 20s }`}};function Wo({total:e}){let t=ae(e);return i`
    <div class="saving-grid">
      <${hu} total=${e} amounts=${t} />
      <${gu} total=${e} />
      <${bu} total=${e} amounts=${t} />
      <${yu} total=${e} amounts=${t} />
      <${vu} total=${e} amounts=${t} />
      <${ku} total=${e} />
    </div>
  `}function hu({total:e,amounts:t}){let{cached_input_tokens:s,cache_write_tokens:n,input_tokens:o}=e;return i`
    <${Ie}
      id="prompt"
      title="Prompt caching"
      isUsed=${s+n>0}
      value=${y(t.prompt)}
      what="saved, less the cost of writes"
      facts=${[["Reads saved",y(t.reads)],["Writes cost",y(t.writes)],["Cached input",`${C(s,o)}, ${A(s)} of ${A(o)}`],["Written",`${A(n)} tokens`],xt(e.unpriced_cached_requests)]}
      basis="The vendors' token counts, at their prices."
    />
  `}function gu({total:e}){let{affinity_hits:t,affinity_moves:s,affinity_starts:n}=e,o=Ho(e);return i`
    <${Ie}
      id="sessions"
      title="Sessions that stay"
      isUsed=${jo(e)>0}
      value=${y(e.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[["Stayed",Go(t)],["Moved",$(s)],["Started",$(n)],["Cached, if stayed",C(e.affinity_cached_input_tokens,e.affinity_input_tokens)],["Cached, others",C(o.cached,o.input)]]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `}function bu({total:e,amounts:t}){return i`
    <${Ie}
      id="order"
      title="Cheapest first"
      isUsed=${e.price_ordered_requests>0}
      value=${y(t.order)}
      what="saved"
      facts=${[["Requests",$(e.price_ordered_requests)],xt(e.unpriced_price_orders)]}
      basis="Estimated: the same tokens at the first target in the order of config.yaml."
    />
  `}function yu({total:e,amounts:t}){let{response_cache_hits:s,response_cache_misses:n}=e;return i`
    <${Ie}
      id="response"
      title="Response cache"
      isUsed=${s+n>0}
      value=${y(t.response)}
      what="saved"
      facts=${[["Hits",`${$(s)}, ${C(s,s+n)}`],["Misses",$(n)],xt(e.unpriced_response_cache_hits)]}
      basis="What each answer cost when it was made."
    />
  `}function vu({total:e,amounts:t}){let{hedged_requests:s,requests:n}=e;return i`
    <${Ie}
      id="hedges"
      title="Hedges"
      isUsed=${s>0}
      value=${y(t.hedges)}
      what="spent"
      tone=${t.hedges>0?"warn":""}
      facts=${[["Requests",`${$(s)}, ${C(s,n)}`],xt(e.unpriced_hedges)]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `}function ku({total:e}){let{queued_requests:t,queued_ms:s}=e;return i`
    <${Ie}
      id="queue"
      title="Queue"
      isUsed=${t>0}
      value=${$(t)}
      what="requests waited"
      facts=${[["Average wait",w(t===0?0:s/t)],["All waits",w(s)]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `}function Go(e){return e===1?"1 request":`${$(e)} requests`}function xt(e){return e>0?["Unknown price",`${Go(e)}, not included`]:void 0}function Ie({id:e,title:t,isUsed:s,value:n,what:o,tone:r="",facts:a,basis:u}){return i`
    <section class=${`card saving figure ${r}`} aria-labelledby=${`saving-${e}`}>
      <h2 id=${`saving-${e}`}>${t}</h2>
      ${s?i`
          <p class="figure-line">
            <span class="figure-value">${n}</span>
            <span class="figure-note">${o}</span>
          </p>
          <${ee} class="saving-facts" facts=${a.filter(l=>l)} />
          <p class="hint">${u}</p>
        `:i`<${wu} id=${e} />`}
    </section>
  `}function wu({id:e}){let{text:t,config:s}=Ko[e];return i`
    <p class="soft">No request used it in this time.</p>
    <p class="hint">${t}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${s}</pre>
      <${Z} text=${s} label="Copy the settings" isIcon=${!0} class="quiet small" />
    </div>
  `}function Xo(e){let[t,s]=k({id:e,isRising:!1});return[t,o=>s(r=>({id:o,isRising:r.id===o&&!r.isRising}))]}function Jo(e,t,{id:s,isRising:n}){let{of:o}=t.find(u=>u.id===s),r=u=>o(u)??-1/0,a=n?1:-1;return e.toSorted((u,l)=>{let[d,c]=[r(u),r(l)];return d===c?0:a*(d<c?-1:1)})}function Vo({title:e,id:t,order:s,onSort:n,class:o="number"}){let r=s.id===t,a=s.isRising?"ascending":"descending";return i`
    <th scope="col" class=${o} aria-sort=${r?a:void 0}>
      <button type="button" class="sort" onClick=${()=>n(t)}>
        ${e}
        <span aria-hidden="true">${r?s.isRising?"\u2191":"\u2193":""}</span>
      </button>
    </th>
  `}var St=500;function Zo({entries:e,label:t,by:s,title:n,columns:o,first:r,note:a,linkOf:u}){let[l,d]=Xo(r),c=Jo(e,o,l);return i`
    <section class="card">
      <${ce} label=${t}>
        <thead>
          <tr>
            <th scope="col">${n}</th>
            ${o.map(({id:f,title:p})=>i`
                <${Vo} key=${f} title=${p} order=${l} id=${f}
                  onSort=${d} />
              `)}
          </tr>
        </thead>
        <tbody>
          ${c.slice(0,St).map(f=>i`
              <tr key=${String(f[s])}>
                <th scope="row" class=${`name ${f[s]===null?"faint":"mono"}`}>
                  <${_u} text=${re(f[s],s)} link=${u?.(f)} />
                </th>
                ${o.map(({id:p,of:m,text:g})=>i`<td key=${p} class="number">${g(m(f),f)}</td>`)}
              </tr>
            `)}
        </tbody>
        <//>
      ${a}
    </section>
  `}function _u({text:e,link:t}){return t?i`<a href=${t}>${e}</a>`:e}var xu={model:"Alias or model",provider:"Provider",key:"Key"},Su=[{id:"requests",title:"Requests",of:e=>e.requests,text:$},{id:"cached",title:"Cached input",of:e=>e.input_tokens===0?null:e.cached_input_tokens/e.input_tokens,text:(e,t)=>C(t.cached_input_tokens,t.input_tokens)},...[["prompt","Prompt caching"],["response","Response cache"],["order","Cheapest first, est."],["hedges","Hedges cost"]].map(([e,t])=>({id:e,title:t,of:s=>ae(s)[e],text:Yo})),{id:"net",title:"Net saved",of:e=>ae(e).net,text:(e,t)=>`${Yo(e)}${ae(t).unknown>0?" and unknown":""}`},{id:"cost",title:"Cost",of:R,text:(e,t)=>K(t)}];function Yo(e){return e===0?"\u2013":y(e)}function zo({entries:e,hasMore:t,by:s}){let{length:n}=e,o=(t||n>St)&&i`
    <p class="hint padded">
      The first ${$(Math.min(St,n))} of
      ${t?"more than ":""}${$(n)}.
    </p>
  `;return i`
    <${Zo} entries=${e} label=${`Savings by ${s}`} by=${s} title=${xu[s]}
      columns=${Su} first="net" note=${o} />
  `}var Qo=[["model","Alias or model"],["provider","Provider"],["key","Key"]];function er({route:e}){let t=j(),s=t.hasAdmin?Qo:Qo.filter(([p])=>p!=="key"),n=gt(e.query),r=s.some(([p])=>p===n.by)?n:{...n,by:"model"},a=it(),{data:u,error:l,isLoading:d,reload:c}=Ou(t,r,a),f=p=>location.hash=Le({...r,...p},"savings");return i`
    <div class="view" data-view="savings">
      <${Y}
        title="Savings"
        note=${t.hasAdmin?"Requests of all keys.":"Requests of your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${c} disabled=${d}>Refresh</button>
      <//>
      <${T} error=${l} title="No savings" />
      ${!u&&!l&&i`<${E} text="Loading the savings" />`}
      ${u&&i`
        <div class=${`stack wide ${d?"stale":""}`}>
          ${u.total&&i`<${Tu} total=${u.total} />`}
          ${!u.total&&i`
            <p class="card empty">No request has ended in this time.</p>
          `}
          <${Wo} total=${u.total??Bo} />
          ${u.total&&i`
            <div class="row">
              <${le}
                label="Group by"
                value=${r.by}
                options=${s}
                onChange=${p=>f({by:p})}
              />
            </div>
            <${zo} entries=${u.groups} hasMore=${u.hasMore} by=${u.by} />
          `}
        </div>
      `}
    </div>
  `}function Ou(e,t,s){let{range:n,from:o,to:r,by:a}=t;return I(async l=>{let d=yt(bt(t,N(),s),s),c=m=>S(P(e,"usage",{...d,...m}),{signal:l}),[f,p]=await Promise.all([c({}),wt(async m=>{let{data:g,next:v}=await c({group_by:a,...m});return{part:g,next:v}})]);return{total:f.data[0],groups:p.parts.flat(),hasMore:p.hasMore,by:a}},[e.hasAdmin,n,o,r,a,s])}function Tu({total:e}){let{net:t,unknown:s}=ae(e),n=Uo(e),o=[n!==null&&`${C(n,1)} of what it would have cost`,s>0&&`without ${$(s)} of an unknown price`].filter(r=>r);return i`
    <dl class="figure-grid card">
      <${L} label="Saved, net" value=${y(t)} note=${o.join("; ")} />
      <${L}
        label="Cost"
        value=${K(e)}
        note=${e.unpriced_requests>0?`${$(e.unpriced_requests)} with an unknown price`:""}
      />
      <${L} label="Requests" value=${$(e.requests)} />
      <${L}
        label="Cached input"
        value=${C(e.cached_input_tokens,e.input_tokens)}
        note=${`of ${A(e.input_tokens)} tokens`}
      />
    </dl>
  `}var _r={};me(_r,{default:()=>wr});var Ot=[["hour","hour"],["day","day"],["week","week"],["month","month"],["total","whole life"]],xe=[["requests_per_minute","Requests per minute","requests/min"],["tokens_per_minute","Tokens per minute","tokens/min"],["concurrent","Concurrent requests","concurrent"],["requests_per_hour","Requests per hour","requests/h"],["tokens_per_hour","Tokens per hour","tokens/h"],["requests_per_day","Requests per day","requests/day"],["tokens_per_day","Tokens per day","tokens/day"],...["Searches","Images","Characters","Seconds"].flatMap(e=>{let t=e.toLowerCase();return[[`${t}_per_minute`,`${e} per minute`,`${t}/min`],[`${t}_per_day`,`${e} per day`,`${t}/day`]]})],Tt=3;function pe(e){let{models:t,limits:s,budget:n,expires:o}=e??{};return{name:e?.name??"",models:(t??[]).join(`
`),...Object.fromEntries(xe.map(([r])=>[r,String(s?.[r]??"")])),usd:String(n?.usd??""),per:n?.per??"month",unknownPrices:n?.unknown_prices,expires:o==null?"":new Date(o*1e3).toISOString().slice(0,10),...Object.fromEntries(sr.map(r=>[r,e?.[r]??""]))}}var sr=["owner","team","note"];function nr(e){let t=Object.entries(us(e)).filter(([,s])=>s!==null);return{name:e.name.trim(),...Object.fromEntries(t)}}function Ct(e,t){let s=us(pe(t));return Object.fromEntries(Object.entries(us(e)).filter(([n,o])=>JSON.stringify(o)!==JSON.stringify(s[n])))}function us(e){let t=e.models.split(/[\n,]/).map(n=>n.trim()).filter(n=>n!==""),s=xe.filter(([n])=>e[n].trim()!=="");return{models:t.length===0?null:t,limits:s.length===0?null:Object.fromEntries(s.map(([n])=>[n,or(e[n])])),budget:e.usd.trim()===""?null:Cu(e),expires:e.expires===""?null:e.expires,...Object.fromEntries(sr.map(n=>[n,e[n].trim()||null]))}}function Cu({usd:e,per:t,unknownPrices:s}){let n={usd:or(e),per:t};return s===void 0?n:{...n,unknown_prices:s}}function or(e){let t=Number(e);return Number.isFinite(t)?t:e}function Ne(e){return xe.flatMap(([t,,s])=>e?.[t]==null?[]:[`${$(e[t])} ${s}`])}function z({usd:e,per:t}){let s=t==="total"?"in total":t==="hour"?"an hour":`a ${t}`;return`${y(e)} ${s}`}function rr(e,{origin:t,hasKey:s}){let{budget:n,expires:o,key:r,models:a,name:u,owner:l}=e,d=[`It may use ${a===null?"all models":a.join(", ")}`,n===null?"":`, up to ${z(n)}`,o===null?"":`, until ${new Date(o*1e3).toISOString().slice(0,10)}`];return[...l===null?[]:[`Hello ${l},`],`your key "${u}" for our model gateway is ready. ${d.join("")}.`,`Address: ${t}/v1`,`Usage and budget: ${t}/ (sign in with the key)`,s?`Key: ${r}`:"The key itself follows separately."].join(`
`)}function ir({status:e,previous_valid_until:t},s){return e==="active"&&t!=null&&t*1e3>s?t:void 0}function qt({fields:e,onChange:t,isNew:s,knownTeams:n=[]}){let o=l=>d=>t({...e,[l]:d.target.value}),r=(l,d)=>i`
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
    `,[a]=k(()=>xe.slice(Tt).some(([l])=>e[l]!=="")),u=(l,d,c=[])=>i`
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
        ${c.length>0&&i`
          <datalist id=${`key-${l}-known`}>
            ${c.map(f=>i`<option key=${f} value=${f}></option>`)}
          </datalist>
        `}
      </div>
    `;return i`
    ${s&&i`
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
          ${Ot.map(([l,d])=>i`<option key=${l} value=${l}>${d}</option>`)}
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
        ${xe.slice(0,Tt).map(([l,d])=>r(l,d))}
      </div>
      <details class="more-limits" open=${a}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${xe.slice(Tt).map(([l,d])=>r(l,d))}
        </div>
      </details>
    </fieldset>
  `}function Se(e){let[t,s]=k({isBusy:!1,error:void 0});return{...t,start:async o=>{if(o.preventDefault(),!t.isBusy){s({isBusy:!0,error:void 0});try{await e(),s({isBusy:!1,error:void 0})}catch(r){s({isBusy:!1,error:r})}}}}}function $e({id:e}){return`/v1/admin/keys/${encodeURIComponent(e)}`}function ar({entry:e,onChanged:t,onClose:s}){let[n,o]=k(()=>pe(e)),{isBusy:r,error:a,start:u}=Se(async()=>{let l=Ct(n,e);Object.keys(l).length>0&&(await S($e(e),{method:"PATCH",body:l}),t()),s()});return i`
    <${G} title=${`Edit ${e.name}`} onClose=${s}>
      <form class="stack" onSubmit=${u}>
        <${qt} fields=${n} onChange=${o} isNew=${!1} />
        <${T} error=${a} title="Not changed" />
        <${ls} text="Save" isBusy=${r} onClose=${s} />
      </form>
      <//>
  `}function ur({entry:e,onChanged:t,onClose:s}){let[n,o]=k("1h"),[r,a]=k(void 0),{isBusy:u,error:l,start:d}=Se(async()=>{let c={overlap:n.trim()||"0s"};a(await S(`${$e(e)}/rotate`,{body:c})),t()});return r!==void 0?i`<${qu} entry=${r} onClose=${s} />`:i`
    <${G} title=${`Rotate ${e.name}`} onClose=${s} class="narrow">
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
        <${T} error=${l} title="Not rotated" />
        <${ls} text="Rotate" isBusy=${u} onClose=${s} />
      </form>
      <//>
  `}function lr({entry:e,onChanged:t,onClose:s}){let{isBusy:n,error:o,start:r}=Se(async()=>{await S($e(e),{method:"DELETE"}),t(),s()});return i`
    <${G} title=${`Revoke ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${r}>
        <p>
          Requests with the key <strong class="wrap-anywhere">${e.name}</strong> are refused from
          now on. This cannot be undone. Its name stays taken, and its usage is kept.
        </p>
        <${T} error=${o} title="Not revoked" />
        <${ls} text="Revoke key" isBusy=${n} onClose=${s} tone="destructive" />
      </form>
      <//>
  `}function ls({text:e,isBusy:t,onClose:s,tone:n=""}){return i`
    <div class="row end">
      <button type="button" onClick=${s}>Cancel</button>
      <button type="submit" class=${`primary ${n}`} disabled=${t}>${e}</button>
    </div>
  `}function qu({entry:e,onClose:t}){return i`
    <${G} title=${`The key ${e.name}`} onClose=${t} class="narrow" isHeld=${!0}>
      <div class="stack">
        <p>Copy the key now. It is not stored and cannot be shown again.</p>
        <div class="row key-text">
          <code class="wrap-anywhere" data-secret="key">${e.key}</code>
          <${Z} text=${e.key} label="Copy" class="primary" />
        </div>
        <div class="row end">
          <button type="button" onClick=${t}>I have copied it</button>
        </div>
      </div>
      <//>
  `}var Mt=.9,Mu=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeZone:"UTC"}),Au=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeStyle:"short",timeZone:"UTC"});function Ze({limit_usd:e,spent_usd:t,...s}){let n=e>0?t/e:1,o=n>=1?"bad":n>=Mt?"warn":"good",{forecast_usd:r,renews_at:a,unpriced_requests:u}=s,l=[a&&`renews ${dr(a)}`,r!==null&&t>0&&`at this rate ${y(r)}${r>e?", more than the budget":""}`,u>0&&`${$(u)} requests of an unknown price`].filter(d=>d);return{tone:o,share:n,notes:l}}function At({budget:e,status:t,usage:s}){if(e===null||!s?.budget||t==="revoked")return;let{limit_usd:n,spent_usd:o}=s.budget;return n>0?o/n:1}function cs(e){return(At(e)??0)>=Mt}function cr(e){let t=e.filter(({status:l})=>l!=="revoked"),s=t.filter(cs),n=t.filter(l=>(At(l)??0)>=1),o=`${$(t.length)} ${t.length===1?"key":"keys"}`,r=s.length===0?t.some(({budget:l})=>l!==null)?`No key is over ${100*Mt} % of its budget`:`${o}, none with a budget`:`${$(s.length)} of ${o} ${s.length===1?"is":"are"} over ${100*Mt} % of ${s.length===1?"its budget":"their budgets"}`,a=n[0]?.usage.budget.renews_at,u=n.length===0?s.length===0&&t.length>0?`${o} in total.`:"":`${n.length===1?"It has":`${$(n.length)} have`} used it up and ${n.length===1?"is":"are"} refused with 429${n.length===1&&a?` until ${dr(a)}`:""}.`;return{title:r,text:u,used:n.length===1?n[0]:void 0}}function dr(e){let t=new Date(e);return e.includes("T00:00:00")?Mu.format(t):`${Au.format(t)} UTC`}function ds(e){let t=s=>e.reduce((n,o)=>n+o[s],0);return`${e.length} days: ${$(t("requests"))} requests, ${y(t("cost_usd"))}`}function Rt({budget:e,spending:t}){if(!t)return i`${z(e)}`;let{tone:s,notes:n,share:o}=Ze(t),{forecast_usd:r,limit_usd:a,spent_usd:u}=t,l=[`${y(u)} of ${z(e)}`,...n].join(", "),d=r!==null&&r>a;return i`
    <span class="budget" title=${l}>
      <span
        class=${`meter ${s}`}
        role="meter"
        aria-label=${`Spent of ${z(e)}`}
        aria-valuenow=${Math.round(100*o)}
        aria-valuemin="0"
        aria-valuemax="100"
      >
        <span style=${{width:`${Math.min(100,100*o).toFixed(1)}%`}}></span>
        ${r!==null&&!d&&a>0&&i`
          <i style=${{left:`${(100*r/a).toFixed(1)}%`}}></i>
        `}
      </span>
      <span class="share">${o>=1&&t.is_used_up?"used up":`${Math.floor(100*o)} %`}${d&&o<1?" \u2197":""}</span>
      <span class="limit soft">of ${z(e)}</span>
    </span>
  `}var fr=new Map([["expired","warn"],["disabled","bad"]]);function Ye({id:e}){return`#/keys/${encodeURIComponent(e)}`}function fs({entry:e}){let{reason:t,status:s}=e,n=ir(e,Date.now());return i`
    <span class=${fr.has(s)?`badge ${fr.get(s)}`:"soft"} title=${t??""}
    >${s}</span>
    ${n&&i`
      <span class="small soft"> the text before is valid until ${new Date(n*1e3).toLocaleTimeString("en-GB")}</span>
    `}
  `}var Ru=({usage:e})=>e?.days.reduce((t,{requests:s})=>t+s,0),Eu=[{id:"name",title:"Key",of:({name:e})=>e,isRisingFirst:!0,card:"a"},{id:"team",title:"Team",of:({team:e})=>e,isRisingFirst:!0,panel:"low"},{id:"owner",title:"Owner",of:({owner:e})=>e,isRisingFirst:!0,panel:"low"},{id:"share",title:"Of the budget",of:At,card:"c",hint:"Spent in the current period; an arrow means that the forecast passes the budget",cell:({budget:e,usage:t})=>e&&i`<${Rt} budget=${e} spending=${t?.budget} />`},{id:"spent",title:"Spent",isNumber:!0,card:"b",of:({usage:e})=>e?.budget?.spent_usd,text:y},{id:"used",title:"Last used",card:"d",hint:"The last day in UTC with a request, of the last 30 days",of:({usage:e})=>e?.last_used},{id:"requests",title:"Requests, 30 d",of:Ru,text:$,isNumber:!0},{id:"limits",title:"Limits",isProse:!0,of:({limits:e})=>Ne(e).join(", ")},{id:"status",title:"Status",of:({status:e})=>e,cell:e=>i`<${fs} entry=${e} />`},{id:"created",title:"Created",of:({created:e})=>e??"config.yaml",text:e=>typeof e=="number"?je(e):i`<code>config.yaml</code>`},{id:"prefix",title:"Begins with",of:({prefix:e})=>e,isRisingFirst:!0,text:e=>i`<code>${e}…</code>`}];function De({source:e,status:t}){return e==="store"&&t!=="revoked"}function pr({keys:e,marks:t,onAction:s}){return i`
    <${H} label="Keys" columns=${Eu} rows=${e} idOf=${({id:o})=>o}
      hrefOf=${Ye} actionsOf=${o=>[{text:"Open",href:Ye(o)},{text:"Requests",href:`#/requests?${new URLSearchParams({key:o.name})}`},{text:"Copy name",copy:o.name},...De(o)?[{text:"Edit",run:()=>s("edit",o)},{text:"Rotate",run:()=>s("rotate",o)},{text:"Revoke",run:()=>s("revoke",o),isDanger:!0}]:[]]} order=${{id:"share",isRising:!1}}
      marks=${t} classOf=${({status:o})=>o==="revoked"?"revoked":""} />
  `}function mr({keys:e,onAction:t,onClear:s}){let n=e.reduce((a,{usage:u})=>a+(u?.budget?.spent_usd??0),0),o=e.some(De),r=(a,u,l="")=>i`
      <button type="button" class=${`small ${l}`} disabled=${!o}
        onClick=${()=>t(a)}>${u}</button>
    `;return i`
    <div class="row bulk" role="status">
      <span><strong>${$(e.length)} selected</strong>, ${y(n)} spent together</span>
      ${r("budget","Change budget")} ${r("team","Change team")}
      ${r("revoke","Revoke","danger")}
      <button type="button" class="quiet small" onClick=${s}>Clear</button>
    </div>
  `}var $r={budget:"Change the budget",team:"Change the team",revoke:"Revoke"};function hr({kind:e,keys:t,onChanged:s,onClose:n}){let o=t.filter(De),[r,a]=k({usd:"",per:"month",team:""}),[u,l]=k(0),d=g=>v=>a({...r,[g]:v.target.value}),{isBusy:c,error:f,start:p}=Se(async()=>{try{for(let[g,v]of o.slice(u).entries())await Iu(e,v,r),l(u+g+1)}finally{s()}n()}),m=t.length-o.length;return i`
    <${G} title=${`${$r[e]} of ${$(o.length)} keys`} onClose=${n}
      class="narrow">
      <form class="stack" onSubmit=${p}>
        <p class="wrap-anywhere">${o.slice(0,8).map(({name:g})=>g).join(", ")}${o.length>8?`, and ${$(o.length-8)} more`:""}</p>
        ${m>0&&i`
          <p class="soft">${$(m)} of them ${m===1?"is":"are"} in config.yaml or
            revoked, and stay as they are.</p>
        `}
        ${e==="revoke"&&i`
          <p>Their requests are refused from now on. This cannot be undone.</p>
        `}
        ${e==="team"&&i`
          <div class="field">
            <label for="bulk-team">Team</label>
            <input id="bulk-team" type="text" maxlength="128" value=${r.team}
              onInput=${d("team")} />
          </div>
        `}
        ${e==="budget"&&i`<${Lu} fields=${r} set=${d} />`}
        <${T} error=${f}
          title=${`${$(u)} of ${$(o.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class=${`primary ${e==="revoke"?"destructive":""}`}
            disabled=${c||o.length===0}
          >${c?`${$(u)} of ${$(o.length)}`:$r[e]}</button>
        </div>
      </form>
      <//>
  `}function Lu({fields:e,set:t}){return i`
    <div class="two-fields">
      <div class="field">
        <label for="bulk-usd">US dollars</label>
        <input id="bulk-usd" type="text" inputmode="decimal" placeholder="None"
          value=${e.usd} onInput=${t("usd")} />
      </div>
      <div class="field">
        <label for="bulk-per">per</label>
        <select id="bulk-per" value=${e.per} onChange=${t("per")}>
          ${Ot.map(([s,n])=>i`<option key=${s} value=${s}>${n}</option>`)}
        </select>
      </div>
    </div>
  `}async function Iu(e,t,{team:s,usd:n,per:o}){if(e==="revoke")return await S($e(t),{method:"DELETE"});let r=e==="team"?{team:s}:{usd:n,per:o},a=Ct({...pe(t),...r},t);if(Object.keys(a).length!==0)return await S($e(t),{method:"PATCH",body:a})}var Nu="The key is not shown again.",Du="What you have typed is lost.";function gr({onCreated:e,teams:t}){let[s,n]=k(pe),[o,r]=k(void 0),a=JSON.stringify(s)!==JSON.stringify(pe()),{isBusy:u,error:l,start:d}=Se(async()=>{r(await S("/v1/admin/keys",{body:nr(s)})),e()});if(o!==void 0)return i`<${Pu} entry=${o} />`;let c=f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&d(f)};return i`
    <${ze} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${a&&i`<${br} text=${Du} />`}
    <form class="stack key-page" onSubmit=${d} onKeyDown=${c}>
      <${qt} fields=${s} onChange=${n} isNew=${!0} knownTeams=${t} />
      <${T} error=${l} title="Not created" />
      <div class="row">
        <button type="submit" class="primary" disabled=${u}>Create key</button>
        <a class="button" href="#/keys">Cancel</a>
        <span class="small soft">Ctrl Enter</span>
      </div>
    </form>
  `}function ze({text:e}){return i`
    <nav class="crumb small" aria-label="Position">
      <a href="#/keys">Keys</a> <span class="soft">/</span> <span>${e}</span>
    </nav>
  `}function br({text:e}){let[t,s]=k(void 0),n=F(()=>{});return U(()=>{n.current=Is(s);let r=a=>a.preventDefault();return addEventListener("beforeunload",r),()=>{n.current(),removeEventListener("beforeunload",r)}},[]),t===void 0?null:i`
    <${G} title="Leave this page?" onClose=${()=>s(void 0)} class="narrow"
      isHeld=${!0}>
      <p>${e}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${()=>s(void 0)}>Stay</button>
        <button type="button" class="danger" onClick=${()=>{n.current(),location.hash=t}}>Leave</button>
      </div>
      <//>
  `}function Pu({entry:e}){let{expires:t,key:s,limits:n,models:o,name:r,note:a,owner:u,team:l}=e,d=[["Team",l],["Owner",u],["Note",a],["Models",o===null?"all":o.join(", ")],["Budget",e.budget===null?"none":z(e.budget)],["Limits",Ne(n).join(", ")||"default"],["Expires",t===null?"never":new Date(t*1e3).toISOString().slice(0,10)]].filter(([,p])=>p!==null),[c,f]=k(!1);return U(()=>{c&&(location.hash="#/keys")},[c]),i`
    ${!c&&i`<${br} text=${Nu} />`}
    <${ze} text=${r} />
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
            <${Z} text=${s} label="Copy key" class="primary" />
          </div>
        </section>
        <${Fu} keyText=${s} />
        <${Uu} entry=${e} />
      </div>
      <aside class="stack wide">
        <section class="card stack padded">
          <h2>What it may</h2>
          <${ee} facts=${d} class="key-facts" />
        </section>
        <button type="button" class="primary" onClick=${()=>f(!0)}>I have copied it</button>
        <p class="small soft">This page closes only here. Back and links ask first.</p>
      </aside>
    </div>
  `}function Fu({keyText:e}){let[t,s]=k(""),n=new URLSearchParams({os:yr(),origin:location.origin}),{data:o,error:r}=I(u=>S(`/v1/clients?${n}`,{key:e,signal:u}),[e]),a=o?.data.find(u=>u.id===t)??o?.data[0];return i`
    <section class="stack" aria-label="Settings of the client">
      <h2>2. Settings of the client</h2>
      <${T} error=${r} title="The settings cannot be shown" />
      ${o?.data.length===0&&i`
        <p class="soft">The key may use no model that answers chats.</p>
      `}
      ${a!==void 0&&i`
        <label class="row">Client
          <select value=${a.id} onChange=${u=>s(u.target.value)}>
            ${o.data.map(u=>i`<option key=${u.id} value=${u.id}>${u.title}</option>`)}
          </select>
        </label>
        ${Bu(a,e).map(({title:u,text:l})=>i`
            <div key=${u} class="stack">
              <div class="row spread"><code>${u}</code>
                <${Z} text=${l} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${u}>${l}</pre>
            </div>
          `)}
      `}
    </section>
  `}function Bu({files:e,steps:t},s){let n="SLUICE_API_KEY";return[{title:"Key in the environment",text:yr()==="windows"?`setx ${n} ${s}`:`export ${n}=${s}`},...e.map(({path:a,text:u})=>({title:a,text:u})),...t.length===0?[]:[{title:"Steps",text:t.join(`
`)}]]}function yr(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function Uu({entry:e}){let[t,s]=k(!1),n=rr(e,{origin:location.origin,hasKey:t});return i`
    <section class="stack" aria-label="A message to send">
      <div class="row spread">
        <h2>3. A message to send</h2>
        <label class="check">
          <input type="checkbox" checked=${t} onChange=${()=>s(!t)} />
          with the key in it
        </label>
        <${Z} text=${n} label="Copy message" class="small" />
      </div>
      <pre class="code-box" tabindex="0" aria-label="Message">${n}</pre>
    </section>
  `}function vr({id:e,version:t,onAction:s}){let{data:n,error:o}=I(c=>S($e({id:e}),{signal:c}),[e,t]);if(!n)return i`
      <${ze} text=${e} />
      <h1>Key</h1>
      <${T} error=${o} title="The key cannot be shown" />
      ${!o&&i`<${E} text="Loading the key" />`}
    `;let{budget:r,name:a,usage:u}=n,l=u?.days??[],d=c=>new URLSearchParams({[c]:a});return i`
    <${ze} text=${a} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${Hu(n)}</h1>
        <p class="soft"><${fs} entry=${n} />${u?.last_used?`, last used on ${u.last_used}`:u?", not used in 30 days":""}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/requests?${d("key")}`}>Requests</a>
        <a class="button" href=${`#/usage?${d("key")}`}>Usage</a>
        ${De(n)&&[["edit","Edit"],["rotate","Rotate"],["revoke","Revoke"]].map(([c,f])=>i`
              <button type="button" key=${c} class=${c==="revoke"?"danger":""}
                onClick=${()=>s(c,n)}>${f}</button>
            `)}
      </div>
    </header>
    <div class="hand-over">
      <div class="stack wide">
        ${r!==null&&i`
          <section class="card stack padded">
            <h2>Budget</h2>
            <${Rt} budget=${r} spending=${u?.budget} />
            <p class="soft">${u?.budget&&Ze(u.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${ds(l).replace(/^.*?: /,"")}</p>
          <${ju} days=${l} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${ee} facts=${Ku(n)} class="key-facts" />
      </aside>
    </div>
  `}function Hu({name:e,usage:t}){if(!t?.budget)return e;let{share:s}=Ze(t.budget);return s>=1?`${e} has used up its budget`:`${e} has spent ${Math.floor(100*s)} % of its budget`}function ju({days:e}){let t=Math.max(1,...e.map(({requests:s})=>s));return i`
    <div class="day-bars" role="img" aria-label=${ds(e)}>
      ${e.map(({cost_usd:s,requests:n},o)=>i`
          <span key=${o} title=${`${$(n)} requests, ${y(s)}`}
            style=${{height:`${100*n/t}%`}}></span>
        `)}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${$(t)} ${t===1?"request":"requests"} a day</span><span>today, UTC</span></div>
  `}function Ku(e){let{budget:t,created:s,expires:n,limits:o,models:r,note:a,owner:u,prefix:l,source:d,team:c}=e;return[["Team",c],["Owner",u],["Note",a],["Begins with",l&&i`<code>${l}…</code>`],["Models",r===null?"all":r.join(", ")],["Limits",Ne(o).join(", ")||"default"],["Budget",t===null?"none":z(t)],["Priority",e.priority],["Weight",e.weight],["Created",d==="config"?"in config.yaml":je(s)],["Expires",n===null?"never":je(n)]].filter(([,f])=>f!=null)}var Gu=1e3;function wr({route:e}){let{hasAdmin:t}=j();return i`
    <div class="view" data-view="keys">
      ${t?i`<${Ju} path=${e.path} query=${e.query} />`:i`
        <${Y} title="Keys" />
        <${st} what="Managing keys needs an admin key." />
      `}
    </div>
  `}var Xu={edit:ar,rotate:ur,revoke:lr};function Ju({path:[e],query:t}){let[s,n]=k(!1),[o,r]=k(null),[a,u]=k(0),l=I(m=>Vu(s,m),[s,a]),d=()=>u(m=>m+1),c=(m,g)=>r({type:m,entry:g}),f=W(()=>Zu(l.data??[],"team"),[l.data]),p=o&&Xu[o.type];return i`
    ${e==="new"?i`<${gr} onCreated=${d} teams=${f} />`:e!==void 0?i`<${vr} id=${e} version=${a} onAction=${c} />`:i`
        <${Yu} ...${l} search=${t.get("search")??""} onAction=${c}
          onChanged=${d} showsRevoked=${s} onRevoked=${n} />
      `}
    ${o&&i`
      <${p} entry=${o.entry} onChanged=${d}
        onClose=${()=>r(null)} />
    `}
  `}async function Vu(e,t){let s=[];for(let n="";n!==void 0;){let o=new URLSearchParams({limit:Gu,revoked:e,usage:!0});n!==""&&o.set("after",n);let r=await S(`/v1/admin/keys?${o}`,{signal:t});s.push(...r.data),n=r.has_more?r.data.at(-1).id:void 0}return s}function Zu(e,t){return[...new Set(e.map(s=>s[t]).filter(s=>s))].sort()}var kr=[["all","All",()=>!0],["near","Over 90 %",cs],["unused","Not used in 30 d",({status:e,usage:t})=>e==="active"&&!t?.last_used]];function Yu(e){let{data:t,error:s,isLoading:n,showsRevoked:o,onRevoked:r,onAction:a,onChanged:u}=e,[l,d]=k(e.search),[c,f]=k("all"),[p,m]=k(()=>new Set),[g,v]=k(void 0),h=s?.code==="store_required",[,,x]=kr.find(([M])=>M===c),_=tl(l),b=W(()=>(t??[]).filter(M=>x(M)&&el(M,_)),[t,c,_]),O=e.search.startsWith("sk-")&&l===e.search&&b.length===1?Ye(b[0]):void 0;U(()=>O&&location.replace(O),[O]);let B=b.filter(({id:M})=>p.has(M)),Oe={ids:p,onToggle:M=>m(new Set(p.has(M)?[...p].filter(V=>V!==M):[...p,M])),onAll:M=>m(new Set(M?b.map(({id:V})=>V):[]))};return i`
    <${zu} keys=${t}>
      <label class="check">
        <input type="checkbox" aria-keyshortcuts="Alt+Shift+V" checked=${o}
          onChange=${M=>r(M.target.checked)} />
        Show revoked keys
      </label>
      ${h?null:i`
        <a class="button primary" aria-keyshortcuts="Alt+Shift+N" href="#/keys/new">
          <${ue} name="add" /> Create key
        </a>
      `}
    <//>
    ${h?i`
        <div class="card empty">
          <p>${s.message}</p>
        </div>
      `:i`<${T} error=${s} title="The keys cannot be listed" />`}
    ${!t&&!s&&i`<${E} text="Loading the keys" />`}
    ${t&&i`
      <div class="row">
        <${le} label="Which keys" value=${c} onChange=${f}
          options=${kr.map(([M,V,Pe])=>[M,`${V} ${$(t.filter(Pe).length)}`])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${!1}
          placeholder="Name, team, owner, note, or a key" value=${l}
          onInput=${M=>d(M.target.value)} />
      </div>
      ${B.length>0&&i`
        <${mr} keys=${B} onAction=${v} onClear=${()=>m(new Set)} />
      `}
      ${b.length===0?i`<div class="card empty" role="status">${Qu(t,_)}</div>`:i`
          <div class=${n?"stale":""}>
            <${pr} keys=${b} marks=${Oe} onAction=${a} />
          </div>
        `}
    `}
    ${g&&i`
      <${hr} kind=${g} keys=${B} onChanged=${u}
        onClose=${()=>v(void 0)} />
    `}
  `}function zu({keys:e,children:t}){let{title:s,text:n,used:o}=e?cr(e):{title:"Keys",text:""};return i`
    <header class="view-head">
      <div class="view-title">
        <h1>${s}</h1>
        <p class="soft">${o&&i`
          <a class="wrap-anywhere" href=${Ye(o)}>${o.name}</a>:
        `}${n}</p>
      </div>
      <div class="view-tools">${t}</div>
    </header>
  `}function Qu(e,t){return t!==""?"No key has this text in its name, team, owner or note, or begins with it.":e.length===0?"No keys yet. Create one for each application or team.":"No key is like that."}function el({name:e,note:t,owner:s,prefix:n,team:o},r){let a=r.toLowerCase();return[e,t,s,n,o].some(u=>u?.toLowerCase().includes(a))}function tl(e){let t=e.trim();return t.startsWith("sk-")?t.slice(0,18):t}export{_r as keys,Js as overview,Rn as requests,tr as savings,Fn as sessions,zn as status,Fo as usage};
