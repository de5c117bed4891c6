import{b as dt,f as Hs}from"./shared3.js";import{B as Es,H as $e,I as Z,J as We,K as Ls,L as Ge,M as U,N as Ut,P as Bt,Q as Ns,R as Is,S as Ps,T as Ds,U as Fs,V as Us,W as ct,Z as Bs,a as K,b as Dt,c as we,d as Cs,e as N,f as F,g as it,h as ee,i as at,j as I,k as Me,l as Ft,m as He,n as qs,o as pe,p as Ms,q as je,r as re,s as As,t as Ke,u as ut,v as _e,w as q,x as lt,y as Rs}from"./shared2.js";import{$ as Ss,A as Pt,D as T,E as oe,F as vs,G as Q,H,I as de,J as ye,K as R,L as ys,M as $,N as E,O as S,P as k,Q as ks,R as C,S as Ue,T as ws,W as _s,Y as Be,_ as xs,a as ve,aa as Os,c as _,d as B,e as gs,ea as j,f as D,g as V,ha as Te,i as a,ia as Ts,j as P,ja as J,ka as fe,la as z,qa as Ce,ra as ot,sa as ke,ta as rt,u as bs,v as O,wa as qe,y as ce}from"./shared1.js";var sn={};ve(sn,{default:()=>tn});function js(e){let t=new Map;for(let s of e)for(let[n,o,r]of s){let[i,u]=t.get(n)??[0,0];t.set(n,[i+o,u+r])}return t}function Ks({from:e,to:t},s,n){let o=Math.floor(s/n),r=o-288+1,i=Math.max(r,Math.floor(e/n)),u=Math.min(o,Math.ceil(t/n)-1);if(u<i)return{first:r,count:288,cellMs:n,isDay:!0,isNow:!0};let l=u-i+1;return{first:i,count:l,cellMs:n,isDay:l>=276,isNow:u===o}}function Ws(e,{cellMs:t,count:s,first:n}){return new Map([...e].filter(([o])=>{let r=o/t-n;return r>=0&&r<s}))}function Ht(e,{cellMs:t,count:s,first:n},o=1){let r=[],i=[];for(let u=0;u<s;u++){let[l,d]=e.get((n+u)*t)??[0,0];if(l===0&&i.push(`M${u} 95h1v5h-1z`),d===0)continue;let c=Math.min(1,d/l/o),f=Math.round(Math.max(12,100*c));r.push(`M${u} ${100-f}h.8v${f}h-.8z`)}return{failed:r.join(""),quiet:i.join("")}}function Gs(e){let t=0;for(let[s,n]of e.values())t=Math.max(t,s===0?0:n/s);return[.02,.04,.1,.2,.5].find(s=>t<=s)??1}function jt(e,{cellMs:t,count:s,first:n}){let o=(e/t-n)/s;return o<0||o>1?void 0:100*o}var Fr=[5,15,30,60,180,360];function Xs({cellMs:e,count:t,first:s}){let[n,o]=[s*e,(s+t)*e],r=6e4*(Fr.find(u=>(o-n)/(u*6e4)<=5)??360),i=[];for(let u=Math.ceil(n/r)*r;u<=o;u+=r)i.push(u);return i}var Ur=6,Br=36e5;function Zs({health:e,period:t,rangeName:s}){let{cell_ms:n,changes:o,reading:r,since:i,targets:u}=e,l=Date.parse(e.at),d=Ks(t,l,n),c=h=>Ws(js(h.map(({cells:b})=>b)),d),f=c(u),p=d.isDay?"the last 24 hours":s,m=Gs(f),y=Date.parse(i);return a`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, ${p}</h2>
        <span class="faint small">
          5 min a cell, this process${Wr(y,l,r)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${Vs}
          class="tall"
          label=${`All targets: ${Js(f,p)}`}
          paths=${Ht(f,d,m)}
          count=${d.count}
          top=${m}
        >
          ${o.map(({kind:h,text:b,time:v},w)=>a`
              <${jr} key=${w} kind=${h} text=${`${b}, ${pe(v,l)}`}
                at=${jt(Date.parse(v),d)} />
            `)}
        <//>
        <div class="strip-end"></div>
        ${Hr(u).map(({name:h,own:b,worst:v})=>{let w=c(b),g=Ys(b.map(x=>x.recent));return a`
            <div class="strip-name" key=${h}>
              <a class="clip" href="#/status" title=${h}>${h}</a>
              <${qe} state=${v.state} isShort=${!0} />
            </div>
            <${Vs} key=${`${h} strip`} label=${`${h}: ${Js(w,p)}`}
              paths=${Ht(w,d)} count=${d.count} />
            <div class="strip-end small" key=${`${h} now`}>${g.attempts===0?"no traffic":`${C(g.failures,g.attempts)} now`}</div>
          `})}
        <div class="strip-name"></div>
        <${Kr} window=${d} end=${l} />
        <div class="strip-end"></div>
      </div>
    </section>
  `}function Hr(e){return[...new Set(He(e).map(({provider:s})=>s))].slice(0,Ur).map(s=>{let n=e.filter(({provider:o})=>o===s);return{name:s,own:n,worst:He(n)[0]}})}function Vs({children:e,class:t="",count:s,label:n,paths:{failed:o,quiet:r},top:i}){return a`
    <div class=${`strip ${t}`} role="img" aria-label=${n}>
      ${i!==void 0&&a`<span class="strip-top">${C(i,1)}</span>`}
      <svg viewBox=${`0 0 ${s} 100`} preserveAspectRatio="none" aria-hidden="true">
        <path class="quiet" d=${r} />
        <path d=${o} />
      </svg>
      ${e}
    </div>
  `}function jr({kind:e,text:t,at:s}){return s===void 0?null:a`
    <span class=${`strip-mark ${e}`} style=${{left:`${s}%`}} title=${t}>
      <span class="only-read">${t}</span>
    </span>
  `}function Kr({window:e,end:t}){return a`
    <div class="strip-axis small faint" aria-hidden="true">
      ${Xs(e).map(s=>{let n=jt(s,e);return n!==void 0&&n>3&&n<88&&a`
          <span key=${s} style=${{left:`${n}%`}}>${pe(new Date(s).toISOString(),t).slice(-5)}</span>
        `})}
      ${e.isNow&&a`<span class="now">now</span>`}
    </div>
  `}function Wr(e,t,s){return s?"; the ledger is still being read":t-e<23*Br?`, begins at ${pe(new Date(e).toISOString(),t)}`:", from the ledger"}function Js(e,t){let{attempts:s,failures:n}=Ys([...e.values()].map(([o,r])=>({attempts:o,failures:r})));return`${n} of ${s} attempts failed, ${t}`}function Ys(e){return e.reduce((t,{attempts:s,failures:n})=>({attempts:t.attempts+s,failures:t.failures+n}),{attempts:0,failures:0})}var Gr=5e3,Xr=6e4,zs=6e5,en=5;function tn({route:e}){let{hasAdmin:t}=K();return t?a`<${Vr} choice=${Ce(e.query,"24h")} />`:a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${at} what="The overview is about all keys: it needs an admin key." />
      </div>
    `}function Qs(e,t,s=[]){let n=N(e,s);return we(n.reload,t),n}function Vr({choice:e}){let{data:t,error:s}=Qs(m=>O("/v1/admin/health",{signal:m}),Gr),n=j(),{range:o,from:r,to:i}=e,u=[o,r,i,n],{data:l}=Qs(async m=>({...await Zr(ke(e,P(),n),m),name:u.join()}),Xr,u),d=l?.name===u.join()?l:void 0;if(t===void 0)return a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${s?a`<${T} error=${s} title="No health" />`:a`<${R} text="Reading the health of targets" />`}
      </div>
    `;let{text:c,title:f}=qs(t),p=Jr(rt(e,n));return a`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${f}</h1>
        <p class="soft">${c}</p>
      </header>
      <${Yr} ...${{health:t,figures:d,rangeName:p}} />
      <${Zs}
        ...${{health:t,rangeName:p}}
        period=${ke(e,Date.parse(t.at),n)}
      />
      <div class="two">
        <${Qr} health=${t} />
        <${ei} ...${{choice:e,figures:d,rangeName:p}} />
      </div>
    </div>
  `}function Jr(e){return e.startsWith("Last ")?`the l${e.slice(1)}`:e.replace("This","this")}async function Zr({from:e,to:t,isOpen:s},n){let o=new Date(P()-zs).toISOString(),r={from:new Date(e).toISOString(),...!s&&{to:new Date(t).toISOString()}},i=c=>O(`/v1/admin/usage?${new URLSearchParams({...r,...c})}`,{signal:n}),[u,l,d]=await Promise.all([O(`/v1/admin/request_counts?${new URLSearchParams({from:o})}`,{signal:n}),i({group_by:"key,model",limit:"1000"}),i({})]);return{counts:u.data,keys:l.data,total:d.data[0]}}function Yr({health:e,figures:t,rangeName:s}){let n=t?.counts.reduce((i,{requests:u,errors:l})=>({requests:i.requests+u,errors:i.errors+l}),{requests:0,errors:0}),o=e.targets.filter(({recent:i})=>i.attempts>0).toSorted((i,u)=>u.recent.attempts-i.recent.attempts)[0],r=n!==void 0&&n.requests>0&&n.errors/n.requests>=.05;return a`
    <dl class="overview-figures">
      <${ft}
        label="Requests per minute"
        value=${n&&Ue(n.requests/(zs/6e4))}
        note="mean of the last 10 min"
      />
      <${ft}
        label="Failed requests, last 10 min"
        value=${n&&C(n.errors,n.requests)}
        note=${n&&`${$(n.errors)} of ${$(n.requests)}`}
        isBad=${r}
        href="#/requests?range=15m&status=error"
      />
      <${ft}
        label="Time to first content"
        value=${o?.first_content_ms==null?"\u2013":S(o.first_content_ms)}
        note=${o?.first_content_ms==null?"no answer in the last 10 min":`${o.provider}, usually ${S(o.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${ft}
        label=${`Spent, ${s}`}
        value=${t&&k(t.total?.cost_usd??0)}
        note=${t&&`${$(t.total?.requests??0)} requests, ${j()}`}
        href="#/requests?range=24h&sort=cost_usd"
      />
    </dl>
  `}function ft({label:e,value:t="\u2026",note:s,isBad:n,href:o}){return a`
    <div>
      <dt>${e}</dt>
      <dd class=${`figure-big${n?" bad":""}`}>
        ${o===void 0?t:a`<a href=${o}>${t}</a>`}
      </dd>
      <dd class="faint small">${s??""}</dd>
    </div>
  `}function Qr({health:e}){let t=Date.parse(e.at),s=He(e.targets);return a`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${Os(e.thresholds)}>
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
              ${s.slice(0,en).map(n=>{let{last_failure:o,provider:r,since:i,state:u,upstream:l}=n;return a`
                  <tr role="row" key=${`${r} ${l}`}>
                    <th scope="row" role="rowheader" title=${`${r} ${l}`}>
                      <span class="clip">${r}</span>
                      <span class="clip faint small">${l}</span>
                    </th>
                    <td role="cell">
                      <${qe} state=${u} />
                    </td>
                    <td role="cell" title=${i}>${i===null?"\u2013":pe(i,t)}</td>
                    <td role="cell" class="evidence">
                      ${o===null?Be(n,t):a`
                        <a
                          href=${zr(o)}
                          title=${o.vendor_text??"The last request that failed"}
                        >${Be(n,t)}</a>
                      `}
                    </td>
                  </tr>
                `})}
            </tbody>
          </table>
        `}
    </section>
  `}function zr({request:e,request_time:t}){return`#/requests/${encodeURIComponent(e)}?time=${encodeURIComponent(t)}`}function ei({choice:e,figures:t,rangeName:s}){let n=ti(t?.keys??[]),o=t?.total?.cost_usd??0,r=new URLSearchParams({by:"key",show:"cost"});return ot(r,e),a`
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
                    <td class="number" title=${`$${i}`}>${ks(i,n[0].cost)}</td>
                    <td class="number">${C(i,o)}</td>
                  </tr>
                `)}
            </tbody>
          </table>
        `}
    </section>
  `}function ti(e){let t=new Map;for(let{cost_usd:s,key:n,model:o}of e){if(!(s>0))continue;let r=t.get(n)??{key:n??"\u2013",cost:0,most:0,model:""};r.cost+=s,s>r.most&&Object.assign(r,{most:s,model:o??"\u2013"}),t.set(n,r)}return[...t.values()].toSorted((s,n)=>n.cost-s.cost).slice(0,en)}var Bn={};ve(Bn,{default:()=>Un});function nn(e){return e.map((t,s)=>s===0?t:t.slice(t.indexOf(`
`)+1)).join("")}function pt(e,t){Ms(e,t,"text/csv")}var si=30*864e5,ni=1e3;function $t(e){let[t,s]=_({}),n=D(new Set);return{load:async r=>{if(n.current.has(r))return;n.current.add(r);let u={from:new Date(Date.now()-si).toISOString(),group_by:r,limit:String(ni)};try{let{data:l}=await O(F(e,"usage",u)),d=l.flatMap(c=>c[r]??[]);s(c=>({...c,[r]:d}))}catch{n.current.delete(r)}},of:r=>t[r]??[]}}var me=new Map([["fallback","Fallback"],["retry","Retry"],["hedge","Hedge"],["cache","Cache"],["queued","Queued"],["sticky","Sticky"]]),oi=new Map([["status","status"],["key","key"],["model","model"],["provider","provider"],["tag","tag"],["user","end_user"],["end_user","end_user"],["session","session"],["path","path"],["id","id"]]),ri=new Map([["cost","min_cost_usd"],["ms","min_ms"],["duration","min_ms"]]),ii=new Set(["key","model","provider","tag","end_user"]),ai=/^\d{1,15}(\.\d{1,9})?$/,ui=new Map([["ms",1],["s",1e3],["min",6e4],["m",6e4],["h",36e5]]);function li(e,t="ms"){let[,s,n=t]=/^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(e.trim())??[];if(s!==void 0)return String(Math.round(Number(s)*ui.get(n.toLowerCase())))}function on(e,t,s){let n={...t};for(let[o]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let r=ci(n,o.replaceAll('"',""),s);if(r!==void 0)return{fault:r}}return{filters:n}}function ci(e,t,s){let n=/^([a-z_]+)>=?(.*)$/i.exec(t);if(n!==null)return di(e,n[1].toLowerCase(),n[2]);let[,o="",r=""]=/^([a-z_]+):(.*)$/i.exec(t)??[],i=oi.get(o.toLowerCase());if(i===void 0&&/^failed$/i.test(t))e.status="error";else if(i===void 0)e.id=t;else{if(r==="")return`'${o}:' needs a value`;if(i==="status")return fi(e,r.toLowerCase());if(i==="path")return pi(e,r.toLowerCase());e[i]=ii.has(i)?$i(r,s(i)):r}}function di(e,t,s){let n=ri.get(t);if(n===void 0)return`'${t}' has no amount: use cost>0.3 or ms>5000`;if(n==="min_cost_usd"){let r=s.replace(/^\$/,"");if(!ai.test(r))return"A cost is a number: cost>0.25";e.min_cost_usd=r;return}let o=li(s,t==="ms"?"ms":"s");if(o===void 0)return"A duration is a number: ms>1500 or duration>1.5s";e.min_ms=o}function fi(e,t){let s=t==="failed"?"error":t;if(!/^(ok|error|[1-5]\d\d)$/.test(s))return"A status is ok, error, or a number: status:429";e.status=s}function pi(e,t){if(!me.has(t))return`A path is ${[...me.keys()].join(", ")}`;e.path=t}function $i(e,t){return e.includes("*")||t.includes(e)?e:/[:=]$/.test(e)?`${e}*`:`*${e}*`}function Kt(e){return je.filter(t=>e[t]!=="").map(t=>{let s=e[t];return t==="min_ms"?{filter:t,name:"ms",sign:">",value:s}:t==="min_cost_usd"?{filter:t,name:"cost",sign:">",value:s}:{filter:t,name:t==="end_user"?"user":t,sign:":",value:s}})}var mi=["key","model","provider","tag","end_user"],hi=["status:error","status:ok","status:429","cost>","ms>","session:"],gi=200;function rn({filters:e,rows:t=[],session:s,opened:n,time:o}){let[r,i]=_(""),[u,l]=_(""),d=D(null),c=$t(s),f=q(e,n,o);B(()=>{i(""),l("")},[f]);let p=w=>location.hash=q(w,n,o),m=mi.filter(w=>w!=="key"||s.hasAdmin),y=w=>[...new Set([...ki(t,w),...c.of(w)])],h=w=>{w.preventDefault();let g=on(r,e,y);if(g.fault!==void 0)return l(g.fault);l(""),i(""),p(g.filters)},b=w=>{let g=Kt(e).at(-1);w.key==="Backspace"&&r===""&&g!==void 0?p({...e,[g.filter]:""}):w.key==="Escape"&&d.current.blur()},v=({target:{value:w}})=>{i(w);let g=/(?:^|\s)([a-z_]+):\S*$/.exec(w)?.[1]??"",x=g==="user"?"end_user":g;m.includes(x)&&c.load(x)};return a`
    <form class="filter-bar" role="search" aria-label="Filter the requests" onSubmit=${h}>
      <div class="filter-line">
        <${ce} name="search" />
        ${Kt(e).map(w=>a`<${bi} key=${w.filter} word=${w} onRemove=${()=>p({...e,[w.filter]:""})} />`)}
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
          onInput=${v}
          onKeyDown=${b}
        />
        <datalist id="filter-words">
          ${yi(r,m,y).map(w=>a`<option key=${w} value=${w} />`)}
        </datalist>
        ${Ke(e)&&a`
          <a class="button quiet" href=${q({..._e(e),sort:e.sort,order:e.order},n,o)}>Clear</a>
        `}
      </div>
      <p class="fault" id="filter-fault" role="status">${u}</p>
      <${vi} filters=${e} onChange=${p} />
    </form>
  `}function bi({word:{name:e,sign:t,value:s},onRemove:n}){let o=`${e}${t}${s}`;return a`
    <span class="chip">
      <span title=${o}>${e}<i>${t}</i><b>${s}</b></span>
      <button type="button" aria-label=${`Remove ${o}`} onClick=${n}>
        <${ce} name="close" size=${10} />
      </button>
    </span>
  `}function vi({filters:e,onChange:t}){let s=[["status","error","Failed"],...[...me].map(([n,o])=>["path",n,o])];return a`
    <div class="quick" role="group" aria-label="Usual filters">
      ${s.map(([n,o,r])=>{let i=e[n]===o;return a`
          <button type="button" key=${o} aria-pressed=${String(i)}
            onClick=${()=>t({...e,[n]:i?"":o})}>
            ${o==="error"&&a`<span class="st failed only" aria-hidden="true"></span>`}
            ${r}
          </button>
        `})}
    </div>
  `}function yi(e,t,s){let[,n,o]=/^(.*?)(\S*)$/s.exec(e),[,r,i]=/^([a-z_]+):(.*)$/.exec(o)??[],u=r==="user"?"end_user":r;return t.includes(u)?s(u).filter(d=>d.includes(i)).sort().slice(0,gi).map(d=>`${n}${r}:${/\s/.test(d)?`"${d}"`:d}`):[...hi,...t.map(d=>`${d==="end_user"?"user":d}:`)].filter(d=>d.startsWith(o)).map(d=>n+d)}function ki(e,t){return e.flatMap(s=>t==="tag"?s.tags:s[t]??[])}var xe=[{id:"searches",title:"Searches",text:$},{id:"images",title:"Images",text:$},{id:"characters",title:"Characters spoken",text:$},{id:"seconds",title:"Audio",text:wi}];function mt(e){return xe.filter(({id:t})=>e.some(s=>s?.[t]>0))}function wi(e){if(e<60)return`${Math.round(10*e)/10} s`;let t=Math.round(e);return`${$(Math.floor(t/60))} min ${t%60} s`}var an="abandoned";function Wt({error:e,status:t}){return e!==an&&((e??null)!==null||t>=400)}function _i({attempts:e=[]}){return e.findLast(t=>t.error===null&&t.status<400)}function un(e){let{attempts:t=[],error:s,queued_ms:n,response_cache:o,status:r}=e,i=n>0?`Waited ${S(n)} in the queue. `:"";if(o==="hit"&&t.length===0){let u=e.saved_usd>0?`, which saved ${k(e.saved_usd)}`:"";return`${i}Answered by the cache${u}.`}return r===499?`${i}The client stopped after ${S(e.ms)}.`:s!==null?i+xi(e):i+Si(e)}function xi({attempts:e=[],error:t,status:s}){let n=`the client got ${s} ${t}`;if(e.length===0)return`No provider was asked: ${n}.`;let o=[...new Set(e.map(({provider:r})=>r))];return e.length===1?`${o[0]} failed with ${e[0].error??t}: ${n}.`:o.length===1?`All ${e.length} attempts at ${o[0]} failed: ${n}.`:`All ${e.length} attempts failed, at ${ln(o)}: ${n}.`}function Si(e){let{attempts:t=[]}=e,s=_i(e),n=s?.provider??e.provider??"The target",o=e.first_token_ms??e.ms;if(e.hedged&&s!==void 0){let l=t.find(d=>d!==s&&!Wt(d))?.provider??"the first target";return s.hedge?`${l} was slow; the hedge at ${n} won after ${S(o)}.`:`${n} answered after ${S(o)}; the hedge at ${l} was not used.`}let r=t.filter(Wt);if(r.length===0)return`Answered by ${n} after ${S(o)}.`;let i=[...new Set(r.map(u=>u.provider))];return i.every(u=>u===n)?`${n} answered after ${S(o)}, at attempt ${t.length}.`:`${ln(i)} failed (${r[0].error??r[0].status}); ${n} answered after ${S(o)}.`}function ln(e){return e.length===1?e[0]:`${e.slice(0,-1).join(", ")} and ${e.at(-1)}`}function cn(e){let{attempts:t=[],first_token_ms:s,ms:n,queued_ms:o}=e,r=t.map(i=>({kind:i.hedge?"hedge":"attempt",tone:i.error===an?"unused":Wt(i)?"bad":"good",start:i.started_ms,length:i.ms,attempt:i})).toSorted((i,u)=>i.start-u.start);return o>0&&r.unshift({kind:"queue",tone:"wait",start:0,length:o}),s!=null&&n>s&&r.push({kind:"stream",tone:"stream",start:s,length:n-s}),r}var Oi=1e6,Ti=e=>xe.find(({id:t})=>t===e)?.title??e,Ci=1e-9;function dn(e){let{prices:t}=e;if(t==null)return[];let s=e.cached_input_tokens??0,n=e.cache_write_tokens??0,o=e.reasoning_tokens??0,r=(l,d,c)=>({name:l,amount:d,price:c,usd:d*c/Oi}),i=[r("Input",(e.input_tokens??0)-s-n,t.input),r("Input, cached",s,t.cachedInput??t.input),r("Input, written to the cache",n,t.cacheWrite??t.input),r("Output",(e.output_tokens??0)-o,t.output),r("Output, reasoning",o,t.output),...Object.entries(t.units??{}).map(([l,d])=>({name:Ti(l),amount:e[l]??0,price:d,unit:l,usd:(e[l]??0)*d}))].filter(({amount:l})=>l>0),u=(e.cost_usd??0)-i.reduce((l,{usd:d})=>l+d,0);return e.cost_usd!=null&&Math.abs(u)>Ci&&i.push({name:"Other attempts and rates",amount:null,price:null,usd:u}),i}function fn(e){let t=new Map([["hit","stayed at its target"],["moved","moved to another target"],["new","began here"]]);return[["Alias",e.alias],["Why this target",e.route],["Session",t.get(e.affinity)??e.affinity],["Chosen by price",e.price_ordered&&qi(e.price_order_saved_usd)],["Waited in the queue",e.queued_ms>0&&S(e.queued_ms)],["Response cache",e.response_cache],["Saved",e.saved_usd>0&&k(e.saved_usd)],["Hedge",e.hedged&&`cost ${k(e.hedge_usd??0)}`],["Writing the cache",e.cache_write_usd>0&&k(e.cache_write_usd)],["Service tier",e.prices?.tier],["Prices of long prompts",e.prices?.long&&"yes"],["Agent",e.agent],["Started by agent",e.parent_agent]].filter(([,s])=>s)}function qi(e){return e>0?`saved ${k(e)}`:"yes"}function pn({cost_usd:e,input_tokens:t,output_tokens:s,usage_source:n}){if(n===void 0||n==="none")return"";let o=e===null?"price unknown":k(e);return`${$(t)} + ${$(s)} tokens, ${o}`}var ht=499;function hn({rows:e,filters:t,opened:s,showsKey:n,note:o,onSort:r}){let i={id:t.sort||"time",isRising:t.order==="asc"},u=({id:c,isRising:f})=>r(c==="time"&&!f?{sort:"",order:""}:{sort:c,order:f?"asc":""}),l=V(()=>Ai(n),[n,j()]),d=e.find(({id:c})=>c===s);return a`
    <p class=${o===""?"only-read":"hint"} role="status">${o}</p>
    <${U}
      label="Requests"
      columns=${l}
      rows=${e}
      idOf=${$n}
      hrefOf=${c=>q(t,c.id,c.time)}
      actionsOf=${c=>Mi(c,t)}
      order=${i}
      onOrder=${u}
      current=${d&&$n(d)}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>location.hash=q(t)}
    />
  `}function $n({id:e,time:t}){return`${t} ${e}`}function Mi(e,t){let s=(n,o)=>e[n]==null?[]:[{text:`All of this ${o}`,href:q({..._e(t),[n]:e[n]})}];return[{text:"Open",href:q(t,e.id,e.time)},{text:"Copy ID",copy:e.id},...s("model","model"),...s("provider","provider"),...s("key","key"),...s("session","session")]}function Ai(e){return[{id:"time",title:"Time",card:"c",of:({time:t})=>t,cell:Ri},{id:"status",title:"Status",card:"b",of:({status:t})=>t,cell:t=>a`<${Xe} row=${t} />`},Gt("model","Model",{card:"a"}),Gt("provider","Provider",{panel:"hide"}),...e?[Gt("key","Key",{panel:"hide"})]:[],{id:"path",title:"Path",panel:"low",isRisingFirst:!0,of:({path:t})=>t[0],cell:Ei},{id:"ms",title:"Duration",isNumber:!0,panel:"low",of:({ms:t})=>t,text:S},{id:"first_token_ms",title:"First",hint:"Time to first content",isNumber:!0,panel:"hide",of:t=>t.first_token_ms,text:S},mn("input_tokens","In"),mn("output_tokens","Out"),{id:"attempt_count",title:"Attempts",isNumber:!0,panel:"hide",of:t=>t.attempt_count>1?t.attempt_count:void 0},{id:"cost_usd",title:"Cost",isNumber:!0,card:"d",of:t=>t.cost_usd,cell:Li}]}function mn(e,t){return{id:e,title:t,hint:`${t==="In"?"Input":"Output"} tokens`,isNumber:!0,panel:"hide",of:s=>Xt(s)?s[e]:void 0,cell:s=>Ni(s[e],Xt(s),s.usage_source==="estimated")}}function Xt({usage_source:e}){return e!=="none"}function Ri(e){let t=e.path.map(s=>`, ${s}`).join("");return a`
    <span title=${`${Z(e.time)}, ${e.id}`}>${$e(e.time)}</span>
    <span class="phone-only">, ${S(e.ms)}${t}</span>
  `}function Gt(e,t,s){return{id:e,title:t,isRisingFirst:!0,of:n=>n[e],...s,text:n=>a`<${ye} text=${n} />`}}function Ei({path:e}){return e.map(t=>a`<span key=${t} class="badge">${me.get(t)}</span>`)}function Li(e){return e.cost_usd==null?Xt(e)?a`<span class="faint">unknown</span>`:"\u2013":a`<span title=${`$${e.cost_usd}`}>${k(e.cost_usd)}</span>`}function Xe({row:e,isLong:t=!1}){let{error:s,status:n}=e,o=n!==ht&&(n>=400||s!=null),r=n===ht?"stopped":o?"failed":"ok",i=n===ht?"Stopped by the client":s??void 0;return a`
    <span class=${`st ${r}`} title=${i}>${n}</span>
    ${t&&n===ht&&a`<span class="soft small"> stopped by the client</span>`}
    ${t&&o&&s&&a`<span class="error-code small"> ${s}</span>`}
  `}function Ni(e,t,s){return t?s?a`<span title="Estimated: the vendor reported no usage">≈ ${$(e)}</span>`:$(e):"\u2013"}var gn=.8,Ii=.1;function bn({row:e}){let t=cn(e),s=Math.max(Ii,e.ms,...t.map(({start:o,length:r})=>o+r)),n=t.filter(({attempt:o})=>o!==void 0);return a`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${t.map((o,r)=>o.attempt===void 0?a`
              <${Vt}
                key=${o.kind}
                title=${o.kind==="queue"?"Waited in the queue":"Stream, from the first content"}
                text=${vn(o)}
                start=${o.start}
                length=${o.length}
                total=${s}
                tone=${o.tone}
              />
            `:a`
              <${Pi} key=${r} lane=${o} number=${n.indexOf(o)+1}
                total=${s} />
            `)}
        <${Vt}
          title="Whole request"
          text=${S(e.ms)}
          start=${0}
          length=${e.ms}
          total=${s}
          tone="whole"
          mark=${e.first_token_ms}
        />
      </ol>
      <div class="scale faint small mono" aria-hidden="true">
        <span>0</span><span>${S(s/2)}</span><span>${S(s)}</span>
      </div>
      ${n.length===0&&e.response_cache!=="hit"&&a`
        <p class="hint">No provider was asked.</p>
      `}
    </section>
  `}function Pi({lane:e,number:t,total:s}){let{attempt:n,kind:o,length:r,start:i,tone:u}=e,{provider:l,model:d,status:c,error:f,vendor_text:p}=n,m=pn(n);return a`
    <${Vt}
      title=${a`
        ${t}. <span class="mono wrap-anywhere">${d}</span>
        <span class="soft"> at </span><span class="mono">${l}</span>
        ${o==="hedge"&&a`<span class="soft">, the hedge</span>`}
      `}
      text=${vn(e)}
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
        ${Ui(n).map(y=>a`<span key=${y} class="soft wrap-anywhere">${y}</span>`)}
        ${m!==""&&a`<span class="faint">${m}</span>`}
      </p>
      ${p&&a`<blockquote class="vendor-words wrap-anywhere">${p}</blockquote>`}
      <//>
  `}function vn({length:e,start:t}){return t<1?S(e):`${S(e)}, after ${S(t)}`}var Di=new Map([["other_key","then with another key"],["retry","then again"],["resent","then sent again on a new connection"],["next_target","then the next target"],["continued","then continued by another target"]]),Fi=new Map([["wait_too_long","not again: the wait is too long"],["deadline","not again: the deadline is too near"],["breaker_open","not again: its breaker is open"]]);function Ui({cause:e,corrections:t=[],next:s,reason:n,wait_ms:o}){let r=s==="retry"&&o!==null;return[e,...t.map(({fields:i,sent_as:u})=>u===null?`sent again without ${i.join(", ")}`:`sent again with ${i.join(", ")} as ${u}`),n&&(Fi.get(n)??n),o!=null&&!r&&`asked to wait ${S(o)}`,r?`then again after ${S(o)}`:Di.get(s)].filter(i=>i)}function Vt({title:e,text:t,start:s,length:n,total:o,tone:r,mark:i,children:u}){let l=c=>`${(100*c/o).toFixed(2)}%`,d=Math.max(gn,100*n/o);return a`
    <li>
      <div class="row spread"><span>${e}</span><span class="soft small">${t}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${r}`}
          style=${{left:l(Math.min(s,o*(1-gn/100))),width:`${d.toFixed(2)}%`}}
        ></span>
        ${i!=null&&a`<span class="mark" style=${{left:l(i)}}></span>`}
      </div>
      ${u}
    </li>
  `}function wn({id:e,time:t,session:s,filters:n,rows:o=[]}){let r=o.findIndex(f=>f.id===e&&(t===null||f.time===t)),i=t===null?{}:{time:t},u=F(s,`requests/${encodeURIComponent(e)}`,i),{data:l,error:d}=N(f=>O(u,{signal:f}),[u]),c=D(null);return B(()=>c.current.focus(),[]),a`
    <section class="details card" aria-label="Request">
      <header>
        <h2 ref=${c} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${yn} row=${o[r-1]} filters=${n} icon="up" keys="K"
            label="Newer request" />
          <${yn} row=${r<0?void 0:o[r+1]} filters=${n} icon="down"
            keys="J" label="Older request" />
          <a class="button quiet icon close" href=${q(n)} title="Close"
            aria-label="Close the request" aria-keyshortcuts="Alt+Shift+X">
            <${ce} name="close" />
          </a>
        </span>
      </header>
      <div class="stack padded">
        <p class="row id-row">
          <code class="wrap-anywhere">${e}</code>
          <${Q} text=${e} label="Copy ID" />
        </p>
        <${T} error=${d} title="The request cannot be shown" />
        ${!l&&!d&&a`<${R} />`}
        ${l&&a`
          <p class="said">${un(l)}</p>
          <${Bi} row=${l} filters=${n} />
          <${bn} row=${l} />
          <${Hi} row=${l} />
          <${Ki} row=${l} />
          <${Xi} row=${l} filters=${n} />
          ${s.hasService&&l.model!==null&&Gi(l)&&a`
            <p>
              <a class="button" href=${`#/playground?${new URLSearchParams({model:l.model})}`}
                title="Its content is not stored">Open its model in the playground</a>
            </p>
          `}
        `}
      </div>
    </section>
  `}function Bi({row:e,filters:t}){return e.path.length===0?null:a`
    <p class="row" aria-label="Path">
      ${e.path.map(s=>a`<a key=${s} class="badge" href=${q({..._e(t),path:s})}>${me.get(s)}</a>`)}
    </p>
  `}function Hi({row:e}){let t=dn(e);return t.length===0?null:a`
    <section class="stack" aria-labelledby="cost-title">
      <h3 id="cost-title">Cost</h3>
      <${Me} label="Cost by line" class="cost-lines">
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
                <td class="number">${s===null?"\u2013":ji(s,r)}</td>
                <td class="number">
                  ${o===null?"\u2013":r===void 0?`${ws(o)} per M`:Es(r,o)}
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
  `}function ji(e,t){return xe.find(({id:s})=>s===t)?.text(e)??$(e)}function Ki({row:e}){let t=fn(e);return t.length===0?null:a`
    <section class="stack" aria-labelledby="route-title">
      <h3 id="route-title">Route</h3>
      <${oe} class="request-facts" facts=${t} />
    </section>
  `}function yn({row:e,filters:t,icon:s,keys:n,label:o}){return e===void 0?null:a`
    <a class="button quiet icon" href=${q(t,e.id,e.time)} aria-label=${o}
      title=${o} aria-keyshortcuts=${`Alt+Shift+${n}`}>
      <${ce} name=${s} />
    </a>
  `}var Wi=new Set(["chat_completions","completions","messages","responses","gemini","ollama"]);function Gi({format:e}){return Wi.has(e)}function Xi({row:e,filters:t}){let s=e.usage_source!=="none",n=(r,i)=>a`
      <${Vi} key=${i} name=${r} value=${i} filters=${t} />
    `,o=[["Ended",Z(e.time)],["Status",a`<${Xe} isLong=${!0} row=${e} />`],["Model",n("model",e.model)],["Provider",e.provider?n("provider",e.provider):"none"],["Upstream",e.upstream&&a`<code class="wrap-anywhere">${e.upstream}</code>`],["Key",n("key",e.key)],["Tags",e.tags?.length>0&&e.tags.map(r=>n("tag",r))],["End user",e.end_user&&n("end_user",e.end_user)],["Session",e.session&&n("session",e.session)],["API",e.format],["Input",s&&kn(e.input_tokens,[["cached",e.cached_input_tokens],["written to the cache",e.cache_write_tokens]])],["Output",s&&kn(e.output_tokens,[["reasoning",e.reasoning_tokens]])],...mt([e]).map(({id:r,title:i,text:u})=>[i,u(e[r])]),["Usage",Ji.get(e.usage_source)??e.usage_source],["Cost",s&&a`<${Ft} value=${e.cost_usd} format=${k} />`],["First token",e.first_token_ms!=null&&S(e.first_token_ms)],["Duration",S(e.ms)]];return a`
    <${oe} class="request-facts" facts=${o.filter(([,r])=>r)} />
  `}function Vi({name:e,value:t,filters:s}){if(t===null)return a`<${Ft} value=${t} />`;let n=q({..._e(s),[e]:t});return a`
    <a class="mono wrap-anywhere" href=${n} title="All requests with this value">${t}</a>
  `}var Ji=new Map([["vendor","reported by the vendor"],["estimated","estimated, since the vendor reported none"],["none","none"]]);function kn(e,t){let s=t.filter(([,n])=>n>0).map(([n,o])=>`${$(o)} ${n}`);return`${$(e)} tokens${s.length>0?` (${s.join(", ")})`:""}`}function Ae(e){let[t,s]=_(0);return gs(()=>{s(Math.floor(e.current.clientWidth));let n=new ResizeObserver(([o])=>s(Math.floor(o.contentRect.width)));return n.observe(e.current),()=>n.disconnect()},[]),t}function _n(e){let[{from:t,to:s,step_seconds:n}]=e,o=n*1e3,r=Date.parse(t),i=[];for(let u=r;u<Date.parse(s);u+=o)i.push({start:u,end:u+o,requests:0,errors:0});for(let{start:u,requests:l,errors:d}of e.flatMap(({data:c})=>c)){let c=i[Math.round((Date.parse(u)-r)/o)];c!==void 0&&(c.requests+=l,c.errors+=d)}return i}function xn(e,t){if(e===null||t.length===0)return null;let[{start:s,end:n}]=t;if(e.step!==n-s)return null;let o=Math.round((s-e.first)/e.step),[r,i]=Ve(e),u=t.length-1;if(i-o<0||r-o>u)return null;let l=d=>Math.min(u,Math.max(0,d-o));return{anchor:l(e.anchor),focus:l(e.focus)}}function Ve({anchor:e,focus:t}){return[Math.min(e,t),Math.max(e,t)]}function Sn(e,{key:t,shiftKey:s},n){let o=n-1,r=e?.focus??(t==="ArrowRight"?-1:n),i={ArrowLeft:Math.max(0,r-1),ArrowRight:Math.min(o,r+1),PageUp:Math.max(0,r-10),PageDown:Math.min(o,r+10),Home:0,End:o};if(!Object.hasOwn(i,t)||o<0)return;let u=i[t];return{anchor:s&&e!==null?e.anchor:u,focus:u}}function On({from:e,to:t},s){let n=t-e,o=Math.min(t+n,s);return{from:o-3*n,to:o}}function Tn(e){if(e<2)return[1,0];let t=10**Math.floor(Math.log10(e)),s=[1,2,4,6,8,10].map(n=>n*t).find(n=>n>=e);return[s,s/2,0]}function Cn({requests:e,errors:t},s,n){if(e===0||s===0)return{others:0,errors:0};let o=Math.max(2,e/s*n),r=t===0?0:Math.min(o,Math.max(2,t/s*n));return{others:o-r,errors:r}}var Re=64,Zi=366*864e5;function Mn({intervals:e,isComplete:t,isCustom:s,onZoom:n}){let[o,r]=_(null),i=xn(o,e),[{start:u,end:l}]=e,d=b=>r(b&&{...b,first:u,step:l-u}),c=i===null?e:Qi(e,i),f={from:u,to:e.at(-1).end},p=b=>{let[v,w]=Ve(b);d(null),n(e[v].start,e[w].end)},m=()=>{let{from:b,to:v}=On(f,P());n(b,v)},y=Tn(e.reduce((b,{requests:v})=>Math.max(b,v),0)),h=s&&f.to-f.from<Zi/3;return a`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${zi(c,i===null,t)}</b> <span class="faint small">${Ls(e[0].end-u)} a bar; drag, or use Shift and arrow
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
        ${y.map(b=>a`<span key=${b}>${E(b)}</span>`)}
      </div>
        <${Yi}
          axis=${y}
          intervals=${e}
          selection=${i}
          onSelect=${d}
          onZoom=${p}
          onWiden=${h?m:void 0}
        />
        <div class="histogram-times row spread small faint" aria-hidden="true">
          <span>${We(f.from)}</span>
          <span>${We(f.to)}</span>
        </div>
      </div>
    </figure>
  `}function Yi({axis:e,intervals:t,selection:s,onSelect:n,onZoom:o,onWiden:r}){let i=D(null),u=Ae(i),l=D(null),d=u/t.length,[c]=e,[f,p]=s===null?[-1,-2]:Ve(s),m=g=>{let x=g.clientX-i.current.getBoundingClientRect().left;return Math.min(t.length-1,Math.max(0,Math.floor(x/d)))};return a`
    <div
      class="histogram-bars"
      ref=${i}
      tabindex="0"
      role="group"
      aria-label="Select a time: arrow keys move, Shift and arrow keys extend, Enter shows only it,
        Escape clears, minus zooms out"
      onPointerDown=${g=>{if(g.button!==0)return;i.current.setPointerCapture(g.pointerId);let x=m(g);l.current={anchor:x,focus:x},n(l.current)}}
      onPointerMove=${g=>{l.current!==null&&(l.current={...l.current,focus:m(g)},n(l.current))}}
      onPointerUp=${()=>{let g=l.current;l.current=null,g!==null&&g.anchor!==g.focus&&o(g)}}
      onPointerCancel=${()=>{l.current=null,n(null)}}
      onKeyDown=${g=>{if(g.ctrlKey||g.metaKey||g.altKey)return;let x=Sn(s,g,t.length);if(x!==void 0)n(x);else if(g.key==="Enter"&&s!==null)o(s);else if(g.key==="Escape"&&s!==null)n(null);else if(g.key==="-"&&r!==void 0)r();else return;g.preventDefault(),g.stopPropagation()}}
    >
      <svg width=${u} height=${Re} aria-hidden="true">
        ${f>=0&&a`
          <rect class="hovered" x=${f*d} y="0" width=${(p-f+1)*d}
            height=${Re} />
        `}
        ${e.slice(0,-1).map((g,x)=>a`
            <line key=${g} class="grid-line" x1="0" x2=${u}
              y1=${Re*x/(e.length-1)+.5}
              y2=${Re*x/(e.length-1)+.5} />
          `)}
        <path class="volume" d=${qn(t,c,d,!1)} />
        <path class="errors" d=${qn(t,c,d,!0)} />
      </svg>
    </div>
  `}function qn(e,t,s,n){let o=Math.max(1,s-1);return e.map((r,i)=>{let{errors:u,others:l}=Cn(r,t,Re),d=n?u:l;if(d===0)return"";let c=Re-u-(n?0:l);return`M${(i*s).toFixed(1)} ${c.toFixed(1)}h${o.toFixed(1)}v${d.toFixed(1)}h${(-o).toFixed(1)}z`}).join("")}function Qi(e,t){let[s,n]=Ve(t);return e.slice(s,n+1)}function zi(e,t,s){let n=c=>e.reduce((f,p)=>f+p[c],0),[o,r]=[n("requests"),n("errors")],i=o===1?"request":"requests",u=[`${s?"":"\u2265 "}${$(o)} ${i}`,`${$(r)} failed`];if(t)return u.join(", ");let[l,d]=[e[0].start,e.at(-1).end];return`${u.join(", ")} from ${We(l)} to ${We(d)}`}var Ee={rows:void 0,next:null,error:void 0,isLoading:!0,isLoadingMore:!1,isSorting:!1,moreError:void 0};function Jt({data:e,next:t}){return{...Ee,isLoading:!1,rows:e,next:t}}function Zt(e,{data:t,next:s}){let n=[...e.rows,...t];return{...e,isLoadingMore:!1,rows:n,next:s}}function En(e,t){if(e.rows===void 0)return e;let s=new Set(e.rows.map(Rn)),n=t.data.filter(i=>!s.has(Rn(i)));if(n.length===0)return e.moreError?{...e,moreError:void 0}:e;if(n.length===t.data.length&&t.has_more||e.rows.length+n.length>500)return Jt(t);let r=[...n,...e.rows].sort((i,u)=>i.time<u.time?1:i.time>u.time?-1:0);return{...e,rows:r,moreError:void 0}}function Ln(e,{data:t,next:s},{sort:n,order:o},r){let i=o==="asc"?1:-1,u=(d,c)=>{let[f,p]=[An(d,n),An(c,n)];return f===p?0:i*(f<p?-1:1)},l=[...e.rows??[],...t].sort(u).slice(0,r);return{...Ee,isLoading:!1,isSorting:s!==null,rows:l}}var ea=["cache","hedge","fallback","retry","queued","sticky"];function An(e,t){if(t==="path")return ea.indexOf(e.path[0]);let s=e[t];return typeof s=="string"?s.replace(/[A-Z]+/g,n=>n.toLowerCase()):s}function Rn({id:e,time:t}){return`${t} ${e}`}var gt=50,Je=200,ta=2e3,sa=1e4,na=30,oa=30,Nn=50,In=1e3,bt=Nn*In;function Pn(e,t,s){let[n,o]=_(0),[r,i]=_(Ee),u=`${q(t)} ${j()}`,l=[e.hasAdmin,u,n],d=Cs(l),c=D(void 0);B(()=>{let h=new AbortController;c.current=lt(t,P(),j()),c.current.set("limit",String(gt)),i(w=>({...w,isLoading:!0}));let{signal:b}=h;return(t.sort===""?ra(e,c.current,b,i):ia(e,t,c.current,b,i)).then(w=>b.aborted||i(w),w=>b.aborted||i(({rows:g})=>({...Ee,...w.isPassing&&{rows:g},isLoading:!1,error:w}))),()=>h.abort()},l);let f=D(new AbortController);B(()=>{let h=new AbortController;return f.current=h,()=>h.abort()},[...l,s]),we(async()=>{let{signal:h}=f.current;try{let b=await Ze(e,c.current,void 0,h);h.aborted||i(v=>En(v,b))}catch(b){h.aborted||i(v=>({...v,moreError:b}))}},ta,s);let m=async()=>{let h=c.current;i(b=>({...b,isLoadingMore:!0,moreError:void 0}));try{let b=0,{next:v}=r;for(;b<gt&&v!==null&&c.current===h;){let w=await Ze(e,h,v);if(c.current!==h)return;b+=w.data.length,{next:v}=w;let g=b>=gt||v===null;i(x=>({...Zt(x,w),isLoadingMore:!g}))}}catch(b){if(c.current!==h)return;i(v=>({...v,isLoadingMore:!1,moreError:b}))}},y=()=>o(h=>h+1);return Dt(r.error,y),{...r,isLoading:r.isLoading||d,loadMore:m,reload:y}}async function ra(e,t,s,n){let o=Jt(await Ze(e,t,void 0,s));for(;o.rows.length<gt&&o.next!==null&&!s.aborted;)n({...o,isLoadingMore:!0}),o=Zt(o,await Ze(e,t,o.next,s));return o}async function ia(e,t,s,n,o){let r=new URLSearchParams(s);r.set("limit",String(Je)),r.set("sort",t.sort),t.order!==""&&r.set("order",t.order);let i=Ee,u;for(let l=0;u!==null&&l<oa;l++){let d=await Ze(e,r,u,n);i=Ln(i,d,t,Je),n.aborted||o(i),u=d.next}return i}function Ze(e,t,s,n){let o=new URLSearchParams(t);return s!==void 0&&o.set("before",s),O(F(e,"requests",o),n&&{signal:n})}function Dn(e,t,s){let[n,o]=_({pages:void 0,isComplete:!1,error:void 0}),[r,i]=_(0),u=`${q(t)} ${j()}`;B(()=>{let d=new AbortController,{signal:c}=d;return(async()=>{let p=P(),m=lt(t,p,j());m.has("to")||m.set("to",new Date(p).toISOString());let y=[];for(let h="";h!==null&&y.length<na;){h!==""&&m.set("before",h);let b=await O(F(e,"request_counts",m),{signal:c});if(c.aborted)return;y.push(b),{next:h}=b,o({pages:[...y],isComplete:h===null,error:void 0})}})().catch(p=>c.aborted||o({pages:void 0,isComplete:!1,error:p})),()=>d.abort()},[e.hasAdmin,u,r]);let l=()=>i(d=>d+1);return we(l,sa,s),Dt(n.error,l),{...n,recount:l}}async function Fn(e,t){let s=lt(t,P(),j());s.set("format","csv"),s.set("limit",String(In));let n=[],o;do{o&&s.set("before",o);let r=await bs(F(e,"requests",s));n.push(await r.text()),o=r.headers.get("x-sluice-next")}while(o!==null&&n.length<Nn);return{text:nn(n),hasMore:o!==null}}function Un({route:e}){let t=K(),s=As(e.query),n=e.path[0],o=e.query.get("time"),{isOpen:r}=Rs(s,P(),j()),i=s.range==="custom",[u,l]=_(!1),d=r&&s.sort==="",c=u&&d,f=Pn(t,s,c),p=Dn(t,s,c),m=h=>location.hash=q(h,n,o),y=()=>{f.reload(),p.recount()};return a`
    <div class="view wide-view" data-view="requests">
      <${ee}
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
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${y}
          disabled=${f.isLoading}>Refresh</button>
        <${ca} session=${t} filters=${s} counts=${p} />
      <//>
      <${rn}
        filters=${s}
        rows=${f.rows}
        session=${t}
        opened=${n}
        time=${o}
      />
      ${p.pages&&a`
        <${Mn}
          intervals=${_n(p.pages)}
          isComplete=${p.isComplete}
          isCustom=${i}
          onZoom=${(h,b)=>m(ut(s,h,b))}
        />
      `}
      <div class=${`list-and-details ${n?"has-details":""}`}>
        <div class="list stack">
          <${T} error=${f.error} title="The requests cannot be listed" />
          <${aa}
            list=${f}
            filters=${s}
            opened=${n}
            session=${t}
            onSort=${h=>m({...s,...h})}
          />
        </div>
        ${n&&a`
          <${wn}
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
  `}function aa({list:e,filters:t,opened:s,session:n,onSort:o}){let{rows:r,error:i,moreError:u,isLoading:l,isLoadingMore:d,isSorting:c,next:f,loadMore:p}=e;return r===void 0?i?null:a`<${R} text="Loading the requests" />`:r.length===0&&f===null&&!c&&!l?a`<${la} filters=${t} />`:a`
    <div class=${`stack ${l?"stale":""}`}>
      <${hn} rows=${r} filters=${t} opened=${s} onSort=${o}
        showsKey=${n.hasAdmin} note=${l?"":ua(t,e)} />
    </div>
    <${T} error=${u} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${r.length} shown${d?", searching older requests":""}</span>
      ${f!==null&&a`
        <button type="button" aria-keyshortcuts="Alt+Shift+M" onClick=${p}
          disabled=${d}>
          ${d?"Loading":Ke(t)?"Search older requests":"Load more"}
        </button>
      `}
    </div>
  `}function ua({sort:e},{rows:t,isSorting:s}){if(e==="")return"";if(s)return"Sorting: older requests are still being read.";let n=["cost_usd","first_token_ms","path","model","provider"].includes(e)?" Requests without this value are left out.":"";return t.length<Je?`All requests of this time and these filters.${n}`:`The first ${Je} in this order, of all requests of this time and these filters.${n}`}function la({filters:e}){let t={...e,range:"90d",from:"",to:""};return a`
    <div class="card empty stack">
      <p>
        ${Ke(e)?"No request matches these filters in this time.":"No requests in this time. They appear here as soon as they end."}
      </p>
      ${e.range!=="90d"&&a`
        <p><a class="button" href=${q(t)}>Show the last 90 days</a></p>
      `}
    </div>
  `}function ca({session:e,filters:t,counts:{isComplete:s,pages:n=[]}}){let[o,r]=_({}),i=async()=>{r({isLoading:!0});try{let{text:c,hasMore:f}=await Fn(e,t);pt("requests.csv",c);let p=f&&new Error("The file has only the newest: choose a shorter time");r({error:p})}catch(c){r({error:c})}},u=n.flatMap(({data:c})=>c).reduce((c,{requests:f})=>c+f,0),l=u>bt,d=l?`newest ${$(bt)} rows`:`${$(u)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${i}
      disabled=${o.isLoading}
      title=${`Download CSV: at most the newest ${$(bt)} requests`}
    >${s||l?`CSV, ${d}`:"CSV"}</button>
    <${T} error=${o.error} title="Download" />
  `}var Vn={};ve(Vn,{default:()=>Gn});function Hn(e){let t=null;return e.toReversed().map((s,n)=>{let o=t!==null&&s.provider!==null&&s.provider!==t;return s.provider!==null&&({provider:t}=s),{...s,number:n+1,hasMoved:o}})}function jn(e){let t=l=>e.reduce((d,c)=>d+(c[l]??0),0),s=e.filter(({hasMoved:l})=>l).length,n=e.at(-1),o=Date.parse(n.time)-Date.parse(e[0].time)+e[0].ms,r=s===0?"never moved":s===1?"moved once":`moved ${s} times`,i=t("input_tokens"),u=e.length===1?"request":"requests";return{title:`${$(e.length)} ${u} in ${Ss(o)}; ${r}, ${da(e)}`,text:i===0?"No input tokens are known.":`${C(t("cached_input_tokens"),i)} of ${$(i)} input tokens came from the prompt cache.`}}function da(e){let t=e.filter(o=>o.cost_usd!=null);if(t.length===0)return"cost unknown";let s=t.reduce((o,r)=>o+r.cost_usd,0);return`${e.some(o=>o.cost_usd==null&&o.usage_source!=="none")?"\u2265 ":""}${k(s)}`}var Wn=1e3,fa=200,pa=5;function Gn({route:e}){let t=K(),s=e.path[0],n=j(),o=Ce(e.query),r=[t.hasAdmin,o.range,o.from,o.to,n],i=V(()=>$a(o,n),r),{data:u,error:l,isLoading:d}=N(c=>ma(t,i,c),r);return a`
    <div class="view" data-view="sessions">
      <${ee}
        title="Sessions"
        note="Requests that clients have put together by a session ID, such as those of one agent."
      />
      <${T} error=${l} title="The sessions cannot be listed" />
      ${u===void 0&&!l&&a`<${R} text="Loading the sessions" />`}
      <div class=${`list-and-details ${s===void 0?"":"has-details"}`}>
        ${u!==void 0&&a`
          <div class=${`list stack ${d?"stale":""}`}>
            <${ba} sessions=${u} opened=${s} />
          </div>
        `}
        ${s!==void 0&&a`
          <${ya} key=${s} id=${s} session=${t} times=${i} />
        `}
      </div>
    </div>
  `}function $a(e,t){let{from:s,isOpen:n,to:o}=ke(e,P(),t),r=i=>new Date(i).toISOString();return{from:r(s),...!n&&{to:r(o)}}}async function ma(e,t,s){let n={...t,group_by:"session",limit:String(Wn)},{data:o}=await O(F(e,"usage",n),{signal:s});return o.filter(r=>r.session!==null)}function Kn(e){return`#/sessions/${encodeURIComponent(e)}`}function ie(e,t,s,n,o={}){return{id:e,title:t,of:s,text:n,isNumber:!0,...o}}var ha=[{id:"session",title:"Session",of:e=>e.session,isRisingFirst:!0},ie("requests","Requests",({requests:e})=>e,$,{card:"c",mark:"requests"}),ie("errors","Failed",({errors:e})=>e>0?e:void 0,$),ie("input","Input",e=>e.input_tokens,E,{hint:"Input tokens",panel:"hide"}),ie("cached","Cached",ga,e=>C(e,1),{hint:"The share of the input that came from prompt caches",card:"d",mark:"cached"}),ie("moves","Moves",e=>e.affinity_moves>0?e.affinity_moves:void 0,$,{hint:"How often it moved to another target"}),ie("saved","Saved",e=>e.saved_usd>0?e.saved_usd:void 0,k,{hint:"What caches have saved",panel:"hide"}),ie("cost","Cost",e=>e.cost_usd,(e,t)=>a`<span title=${`$${e}`}>${t.unpriced_requests>0?"\u2265 ":""}${k(e)}</span>`,{card:"b"})];function ga(e){return e.input_tokens>0?e.cached_input_tokens/e.input_tokens:void 0}function ba({sessions:e,opened:t}){return e.length===0?a`
      <p class="card empty">
        No session in this time. A client names one by the header <code>x-sluice-session</code>.
      </p>
    `:a`
    <${U}
      label="Sessions"
      columns=${ha}
      rows=${e}
      idOf=${s=>s.session}
      hrefOf=${s=>Kn(s.session)}
      actionsOf=${s=>[{text:"Open",href:Kn(s.session)},{text:"Its requests",href:q({...re,session:s.session})},{text:"Copy the ID",copy:s.session}]}
      order=${{id:"cost",isRising:!1}}
      current=${t}
      hasPanel=${t!==void 0}
      onClose=${t===void 0?void 0:Xn}
    />
    <p class="faint small" role="status">
      ${e.length===1?"1 session":`${$(e.length)} ${e.length===Wn?"or more ":""}sessions`}
    </p>
  `}function Xn(){location.hash="#/sessions"}async function va(e,t,s,n){let o=[],r;for(let i=0;i<pa&&r!==null;i++){let u={...s,session:t,limit:String(fa),...r&&{before:r}},{data:l,next:d}=await O(F(e,"requests",u),{signal:n});o.push(...l),r=d}return{turns:Hn(o),hasMore:r!==null}}function ya({id:e,session:t,times:s}){let{data:n,error:o}=N(r=>va(t,e,s,r),[e,s]);return a`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${ye} text=${e} />
        </h2>
        <${vs} icon="close" label="Close the session" onClick=${Xn} />
      </header>
      <div class="stack padded">
        <${T} error=${o} title="The session cannot be shown" />
        ${!n&&!o&&a`<${R} />`}
        ${n?.turns.length===0&&a`<p>This session has no request in this time.</p>`}
        ${n?.turns.length>0&&a`<${ka} ...${n} />`}
      </div>
    </section>
  `}function ka({turns:e,hasMore:t}){let{text:s,title:n}=jn(e),o=V(()=>wa(e),[e]),r=e.findLast(i=>i.agent)?.agent;return a`
    <p class="said">${n}</p>
    <p class="soft small">${s}${r&&` Agent: ${r}.`}</p>
    ${t&&a`<p class="hint">The newest ${$(e.length)} requests.</p>`}
    <${U} label="Requests of the session" columns=${o} rows=${e}
      idOf=${i=>`${i.time} ${i.id}`}
      hrefOf=${i=>q(re,i.id,i.time)}
      order=${{id:"number",isRising:!0}} />
  `}function wa(e){let t=Math.max(1,...e.map(s=>s.input_tokens));return[{id:"number",title:"No.",of:({number:s})=>s,isRisingFirst:!0,cell:({number:s,time:n})=>a`<span title=${Z(n)}>${s}</span>`},{id:"provider",title:"Provider",card:"b",of:({provider:s})=>s,cell:s=>a`
          ${s.hasMoved&&a`
            <span class="badge">Moved</span>
          `}
          ${s.provider===null?"\u2013":a`<${ye} text=${s.provider} />`}
          ${s.status>=400&&a`
            <${Xe} row=${s} />
          `}
        `},{id:"input",title:"Input",hint:"Input tokens; the dark part was cached",card:"c",of:s=>s.input_tokens,cell:s=>a`<${_a} turn=${s} most=${t} />`},ie("first","First",s=>s.first_token_ms,S,{hint:"Time to first content"}),ie("cost","Cost",s=>s.cost_usd,k,{card:"d"})]}function _a({turn:{cached_input_tokens:e,input_tokens:t},most:s}){let n=`${$(e)} of ${$(t)} from the cache`;return a`
    <span class="input-bar" title=${n}>
      <span class="input-track" style=${{width:`${48*t/s}px`}}>
        <span style=${{width:`${t===0?0:100*e/t}%`}}></span>
      </span>
      ${E(t)}
    </span>
  `}var uo={};ve(uo,{default:()=>ao});var xa=3e3;function Jn({id:e,hasAdmin:t,onClose:s}){let n=t?"/v1/admin/providers":"/v1/providers",{data:o,error:r,reload:i}=N(l=>O(n,{signal:l}),[n]);we(i,xa);let u=o?.data.find(l=>l.id===e);return a`
    <${H} title=${`Provider ${e}`} onClose=${s}>
      <div class="stack">
        <${T} error=${r} />
        ${!o&&!r&&a`<${R} />`}
        ${o&&!u&&a`<p>This provider is no longer configured.</p>`}
        ${u&&a`<${Sa} provider=${u} />`}
      </div>
      <//>
  `}function Sa({provider:e}){let t=Qt(e,"breakers"),s=Qt(e,"learned_rejections");return a`
    <p class="row soft">
      <span>Kind <code>${e.kind}</code></span>
      <span>${Ca(e)}</span>
      ${e.workers?.length>1&&a`<span>${e.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${Yt}
      label="Circuit breakers"
      columns=${["Model","State","Recent failures","Tries again"]}
      rows=${t.map(({worker:n,model:o,state:r,failures:i,tries_again_in_ms:u})=>[zt(o,n),a`<${ct} state=${r} />`,i,u===void 0?"\u2013":`in ${S(u)}`])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${Oa} provider=${e} />
    <h3>Learned rejections</h3>
    <${Yt}
      label="Learned rejections"
      columns=${["Model","What the vendor rejects"]}
      rows=${s.map(({worker:n,model:o,...r})=>[zt(o,n),a`<span class="mono wrap-anywhere">${Zn(r)}</span>`])}
      empty="None."
    />
  `}function Oa({provider:e}){let t=Qt(e,"suspended_keys");return e.workers===void 0&&e.keys?.suspended>0?a`<p>${e.keys.suspended} of ${e.keys.configured} keys are suspended.</p>`:a`
    <${Yt}
      label="Suspended keys"
      columns=${["Key","Model","Reason","Ends"]}
      rows=${t.map(({worker:s,key:n,model:o,reason:r,ends_in_ms:i})=>[zt(Ta(e,n),s),o??"all",r,`in ${S(i)}`])}
      empty="None."
    />
  `}function Yt({label:e,columns:t,rows:s,empty:n}){return s.length===0?a`<p class="soft">${n}</p>`:a`
    <${Me} label=${e}>
      <thead>
        <tr>${t.map(o=>a`<th key=${o} scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${s.map((o,r)=>a`
            <tr key=${r}>${o.map((i,u)=>a`<td key=${u}>${i}</td>`)}</tr>
          `)}
      </tbody>
      <//>
  `}function Qt({workers:e,...t},s){if(e===void 0)return Array.isArray(t[s])?t[s]:[];let n=e.length===1;return e.flatMap(o=>(o[s]??[]).map(r=>({...r,worker:n?void 0:o.worker})))}function zt(e,t){return a`
    <span class="mono wrap-anywhere">${e}</span>
    ${t!==void 0&&a`<span class="faint small"> worker ${t}</span>`}
  `}function Ta({keys:e},t){return(Array.isArray(e)?e.find(n=>n.index===t):void 0)?.fingerprint??`key ${t}`}function Ca({keys:e}){let t=Array.isArray(e)?e.length:e?.configured??0;return t===1?"1 key":`${t} keys`}function Zn(e){return Object.entries(e).map(([t,s])=>`${t}: ${typeof s=="object"&&s!==null?Zn(s):s}`).join(", ")}var qa=[...Ut.keys()],Qn={id:"state",isRising:!0};function zn({providers:e,since:t,now:s,hasAdmin:n,opened:o}){let[r,i]=_(null),u=V(()=>Ra(s),[s]);if(e.length===0)return a`<p class="card empty">No provider is enabled.</p>`;let l=({id:c})=>[{text:"Breakers and keys",href:Yn(c)},{text:"Its requests",href:q({...re,provider:c})},{text:"Its failures",href:q({...re,provider:c,status:"error"})},...n?[{text:"Reset\u2026",run:()=>i(c)}]:[],{text:"Copy the name",copy:c}],d=()=>location.hash="#/status";return a`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">All providers</h2>
        ${t&&a`
          <span class="faint small">Attempts and durations since ${$e(t)}</span>
        `}
      </div>
      <${U} label="Providers" columns=${u} rows=${Bt(e)}
        idOf=${({id:c})=>c} hrefOf=${({id:c})=>Yn(c)} actionsOf=${l}
        order=${Qn} current=${o} />
    </section>
    ${o!==void 0&&a`
      <${Jn} id=${o} hasAdmin=${n} onClose=${d} />
    `}
    ${r!==null&&a`<${La} id=${r} onClose=${()=>i(null)} />`}
  `}function Yn(e){return`#/status/${encodeURIComponent(e)}`}function eo(e){return[{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({state:t})=>qa.indexOf(t),cell:({state:t})=>a`<${Ma} state=${t} />`},{id:"since",title:"Since",of:({health:t,state:s})=>_s(s)||s==="ok"?t?.since:void 0,text:t=>a`<span title=${Z(t)}>${pe(t,e)}</span>`},{id:"evidence",title:"Evidence",isProse:!0,card:"c",of:t=>to(t,e),cell:t=>a`<${Aa} entry=${t} now=${e} />`}]}function Ma({state:e}){return e==="limited"?a`<span class="st slow">${Ut.get(e).text}</span>`:a`<${qe} state=${e} />`}function to({health:e,last_failure:t},s){let n=e==null?"":Be(e,s);if(!t)return n;let o=n.replace(/; \d+$/,""),r=`${Ps(t)}, ${xs(t.time,s)}`;return o===""?r:`${o}; ${r}`}function Aa({entry:e,now:t}){let{last_failure:s}=e,n=to(e,t);if(!s)return a`<span title=${n}>${n||"\u2013"}</span>`;let{request:o,time:r}=s;return a`<a class="failure" href=${q(re,o,r)} title=${n}>${n}</a>`}function Ra(e){return[{id:"provider",title:"Provider",of:({id:t})=>t,isRisingFirst:!0},...eo(e),{id:"history",title:"24 h, failed",hint:"A bar for each hour",cell:({history:t})=>a`<${Ea} history=${t} />`},{id:"in_flight",title:"In flight",isNumber:!0,text:$,of:t=>t.in_flight||void 0},...so(),{id:"rescued",title:"Rescued",isNumber:!0,of:({rescued:t})=>t,text:$,hint:"Failed attempts of requests that succeeded after all"},{id:"p50",title:"p50",isNumber:!0,of:t=>t.p50_ms,text:S},{id:"p95",title:"p95",isNumber:!0,of:t=>t.p95_ms,text:S},no(),{id:"keys",title:"Suspended",hint:"Suspended keys",isNumber:!0,of:t=>t.resting_keys>0?t.resting_keys:void 0,text:(t,{keys:s})=>`${t} of ${s} keys`}]}function so(){return[{id:"attempts",title:"Attempts",isNumber:!0,card:"d",mark:"attempts",of:({attempts:e})=>e,text:$},{id:"failed",title:"Failed",isNumber:!0,of:e=>e.failed_attempts,text:(e,{attempts:t})=>`${$(e)}${e>0?`, ${C(e,t)}`:""}`}]}function no(){return{id:"breaker",title:"Breaker",of:({breaker:e})=>e==="closed"?void 0:e,cell:({breaker:e,tries_again_in_ms:t})=>a`
        ${e==="closed"?a`<span class="faint">Closed</span>`:a`<${ct} state=${e} />`}
          ${t>0&&a`<span class="faint small"> tries again in ${S(t)}</span>`}
      `}}function Ea({history:e}){let t=Ds(e);return a`
    <span class="history" role="img" aria-label=${t} title=${t}>
      ${e.map((s,n)=>a`<span key=${n} class=${Fs(s)??"none"}></span>`)}
    </span>
  `}function La({id:e,onClose:t}){let[s,n]=_({}),o=async()=>{n({isBusy:!0});let l=`/v1/admin/providers/${encodeURIComponent(e)}/reset`;try{n({cleared:(await O(l,{method:"POST"})).cleared})}catch(d){n({error:d})}},{cleared:r,error:i,isBusy:u}=s;return a`
    <${H} title=${`Reset ${e}`} onClose=${t} class="narrow">
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
            <button type="button" class="primary" onClick=${o} disabled=${u}>Reset</button>
          `}
        </div>
      </div>
      <//>
  `}function oo({models:e,now:t}){let s=V(()=>[{id:"model",title:"Model",of:({id:n})=>n,isRisingFirst:!0},{id:"provider",title:"Provider",of:({provider:n})=>n,text:n=>a`<${ye} text=${n} />`},...eo(t),...so(),no()],[t]);return e.length===0?null:a`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${U} label="Targets" columns=${s} rows=${Bt(e)}
        idOf=${({id:n,provider:o})=>JSON.stringify([n,o])} order=${Qn} />
    </section>
  `}var Na=[{id:"provider",title:"Provider",of:({id:e})=>e,isRisingFirst:!0},{id:"kind",title:"Kind",of:({kind:e})=>e,card:"b"},{id:"reason",title:"Reason",isProse:!0,card:"c2",of:({reason:e})=>e??"unknown",text:e=>a`<span title=${e}>${e}</span>`}];function ro({providers:e}){return e.length===0?null:a`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${U} label="Disabled providers" columns=${Na} rows=${e}
        idOf=${({id:t})=>t} order=${{id:"provider",isRising:!0}} />
    </section>
  `}var es=120,Le=26,io=60;function vt({values:e,tone:t=""}){let s=Math.max(1,...e),n=io-e.length,o=i=>((n+i)/(io-1)*es).toFixed(1),r=e.map((i,u)=>{let l=Le-1-i/s*(Le-3);return`${o(u)},${l.toFixed(1)}`}).join(" ");return a`
    <svg
      class=${`sparkline ${t}`}
      height=${Le}
      viewBox=${`0 0 ${es} ${Le}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon
        points=${`${o(0)},${Le} ${r} ${es},${Le}`}
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
  `}var Ia=.05;function ao({route:e}){let t=K(),{state:s,history:n,isLive:o,error:r}=Us(F(t,"live")),i=t.hasAdmin?"All providers of this gateway.":"The providers of the models that your key may use.";return a`
    <div class="view" data-view="status">
      <${ee} title=${s===void 0?"Providers":Ns(s)} note=${i}>
        <${Fa} isLive=${o} state=${s} error=${r} />
      <//>
      <${T} error=${r} title="No live state" />
      ${s===void 0?!r&&a`<${R} text="Connecting" />`:a`
        <${Pa} state=${s} history=${n} opened=${e.path[0]}
          hasAdmin=${t.hasAdmin} />
      `}
    </div>
  `}function Pa({state:e,history:t,hasAdmin:s,opened:n}){let o=e.providers.filter(u=>u.enabled),r=e.providers.filter(u=>!u.enabled),i=Date.parse(e.at);return a`
    <${Da} state=${e} now=${i} />
    <${Ba} config=${e.config} />
    <${Ua} state=${e} history=${t} enabled=${o.length} />
    <${zn} providers=${o} since=${e.since} now=${i} hasAdmin=${s}
      opened=${n} />
    <${oo} models=${e.models??[]} now=${i} />
    <${ro} providers=${r} />
  `}function Da({state:e,now:t}){let s=Is(e,t);return s.length===0?null:a`
    <ul class="problems" aria-label="Problems now">
      ${s.map(({id:n,text:o})=>a`
          <li key=${n}><a href=${`#/status/${encodeURIComponent(n)}`}>${n}</a> ${o}</li>
        `)}
    </ul>
  `}function Fa({isLive:e,state:t,error:s}){return e?a`
      <span class="live-mark good">
        <span class="dot" aria-hidden="true"></span>
        <span role="status">Live</span>
        <time class="faint mono">${$e(t.at)}</time>
      </span>
    `:a`
    <span class="live-mark">
      <span class="dot" aria-hidden="true"></span>
      <span role="status">${t===void 0&&!s?"Connecting":"Not live"}</span>
      ${t&&a`<time class="faint mono">last at ${$e(t.at)}</time>`}
    </span>
  `}function Ua({state:e,history:t,enabled:s}){let{in_flight:n,requests_per_second:o,errors_per_second:r,providers:i,config:u}=e,l=o>0?r/o:0;return a`
    <dl class="figure-grid card live">
      <${I} label="In flight" value=${$(n)}>
        <${vt} values=${t.map(d=>d.in_flight)} />
        <//>
        <${I} label="Requests per second" value=${Ue(o)}>
          <${vt} values=${t.map(d=>d.requests_per_second??0)} />
          <//>
          <${I}
            label="Errors per second"
            value=${Ue(r)}
            note=${l>0?`${C(l,1)} of requests`:""}
            tone=${l>=Ia?"bad":""}
          >
        <${vt} values=${t.map(d=>d.errors_per_second??0)} tone="bad" />
      <//>
      <${I}
        label="Providers enabled"
        value=${`${s} of ${i.length}`}
      />
      ${u&&a`
        <${I}
          label="Configuration"
          value=${u.valid?"Valid":"Stale"}
          tone=${u.valid?"":"warn"}
          note=${u.loaded_at&&`loaded ${$e(u.loaded_at)}`}
        />
      `}
    </dl>
  `}function Ba({config:e}){if(e===void 0||e.valid)return null;let{faults:t=[],loaded_at:s,reason:n}=e;return a`
    <section class="banner warn" role="alert" aria-labelledby="config-faults">
      <h2 id="config-faults">The changed configuration is not valid</h2>
      <p>
        The gateway still uses the configuration
        ${s?` that it loaded on ${Z(s)}.`:" that it loaded before."}
      </p>
      ${t.length===0&&n&&a`<p>${n}</p>`}
      ${t.length>0&&a`
        <ul class="faults mono">
          ${t.map((o,r)=>a`<li key=${r}>${o}</li>`)}
        </ul>
      `}
    </section>
  `}var or={};ve(or,{default:()=>nr});var yt=36e5,Ha=48*yt,ja="month",ae=["key","team","owner","model","provider","tag","end_user"],Ka=["requests","errors","tokens","cost","latency"],Ye={by:"model",then:"",prefix:"",show:"cost",tab:"use",...Object.fromEntries(ae.map(e=>[e,""]))};function kt(e){let{by:t,show:s,then:n}=Object.fromEntries(e),o=ae.includes(t)?t:Ye.by;return{...Ce(e,ja),by:o,then:ae.includes(n)&&n!==o?n:"",prefix:e.get("prefix")??"",show:Ka.includes(s)?s:Ye.show,tab:e.get("tab")==="bill"?"bill":Ye.tab,...Object.fromEntries(ae.map(r=>[r,e.get(r)??""]))}}function Ne(e){return Object.fromEntries(ae.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function Ie(e,t="usage"){let s=new URLSearchParams;ot(s,e);for(let n of Object.keys(Ye))e[n]!==Ye[n]&&s.set(n,e[n]);return`#/${t}?${s}`}function Qe(e,t,s){let{from:n,isOpen:o,to:r}=ke(e,t,s),i=r-n<=Ha?"hour":"day",u=[],l=i==="hour"?n-n%yt:J(n,s);for(;l<r;)u.push(l),l=i==="hour"?l+yt:J(l,s,1);return{from:Math.min(n,u[0]??n),to:r,end:l,isOpen:o,unit:i,zone:s,starts:u}}function lo(e,{unit:t,zone:s}){return t==="hour"?`${new Date(e).toISOString().slice(0,16)}Z`:z(e,s)}function co(e,{from:t,to:s,zone:n,isOpen:o}){let r=o?J(s-1,n):s;if(r<=t)return;let i=Math.round((r-t)/(24*yt)),l=e.range==="month"||e.range==="last-month"?fe(t,n,-1):J(t,n,-i),d=J(l,n,i);return{now:{from:t,to:r},before:{from:l,to:Math.min(d,t)}}}function wt({from:e,to:t},s){return{from:new Date(e).toISOString(),to:new Date(t).toISOString(),...s!=="UTC"&&{time_zone:s}}}var fo=5,ts=[{id:"requests",name:"Requests",of:e=>e.requests,format:$,isWhole:!0},{id:"errors",name:"Errors",of:e=>e.errors,format:$,isWhole:!0},{id:"tokens",name:"Tokens",of:e=>e.input_tokens+e.output_tokens,format:E,isWhole:!0},{id:"cost",name:"Cost",of:L,format:k,isWhole:!1},{id:"latency",name:"Duration",format:Wa,isWhole:!1,isLines:!0}];function Wa(e){return e===0?"0":S(e)}function mo(e){return ts.find(t=>t.id===e)}function L({cost_usd:e,unpriced_requests:t}){return t>0&&e===0?null:e}function W(e){if(e===void 0)return k(0);let t=L(e);return t===null?"unknown":e.unpriced_requests>0?`\u2265 ${k(t)}`:k(t)}function ho(e){let t=new Map;for(let{requests:s,tag:n}of e){let[,o]=/^([^:]+):./.exec(n??"")??[];o!==void 0&&t.set(o,(t.get(o)??0)+s)}return[...t].sort(([,s],[,n])=>n-s).map(([s])=>s)}function go(e,t){let s=`${t}:`;return e.flatMap(n=>n.tag?.startsWith(s)?[{...n,tag:n.tag.slice(s.length)}]:[])}function bo(e,t,s){let n="A request with several tags counts for each of them",o=t.reduce((i,u)=>i+u.requests,0);if(s||e===void 0||o<=e.requests)return`${n}, so the rows may add up to more than the total.`;let r=ze(...t);return`${n}: the rows add up to ${$(r.requests)} requests and ${W(r)}, all requests are ${$(e.requests)} and ${W(e)}.`}function ue(e,t){return e??(t===null?"all":t==="tag"?"untagged":`no ${t.replace("_"," ")}`)}function vo(e,t,{by:s,show:n}){let{unit:o}=t,r=mo(n),{times:i,positions:u}=ko(t),l=new Map;for(let y of e){let h=u.get(y[o]);if(h===void 0)continue;let b=y[s]??null,v=l.get(b);v===void 0&&(v={name:ue(b,s),values:i.map(()=>0),sums:ze()},l.set(b,v)),v.values[h]=r.of(y),v.sums=ze(v.sums,y)}let d=({sums:y})=>r.of(y)??-1,c=[...l.values()].sort((y,h)=>d(h)-d(y)),f=c.slice(0,fo).map(y=>$o(y,r)),p=c.slice(fo),m=ze(...c.map(({sums:y})=>y));return{metric:r,unit:o,zone:t.zone,isOpen:t.isOpen,times:wo(i,t),unpriced:n==="cost"?m.unpriced_requests:0,series:p.length===0?f:[...f,$o(Ga(p),r,!0)]}}function yo(e,t,s){let{times:n,positions:o}=ko(t),r=po.map(({name:i,member:u})=>({name:i,isOther:!1,isPartial:!1,total:s?.[u]??null,values:n.map(()=>null)}));for(let i of e){let u=o.get(i[t.unit]);u!==void 0&&po.forEach(({member:l},d)=>r[d].values[u]=i[l]??null)}return{metric:mo("latency"),unit:t.unit,zone:t.zone,isOpen:!1,times:wo(n,t),unpriced:0,series:r}}var po=[{name:"p95",member:"p95_ms"},{name:"p50",member:"p50_ms"},{name:"First token, p50",member:"first_token_p50_ms"}];function ko(e){let{starts:t}=e,s=new Map(t.map((n,o)=>[lo(n,e),o]));return{times:t,positions:s}}function wo(e,{zone:t}){return e.map(s=>(s+Ts(s,t))/1e3)}function ss(e,t){if(!t||e===null||e===void 0)return"";let s=Math.round(100*(e-t)/t);return`${s>0?"+":s<0?"\u2212":"\xB1"}${$(Math.abs(s))} %`}function $o({name:e,values:t,sums:s},n,o=!1){let r=n.id==="cost"&&s.unpriced_requests>0;return{name:e,isOther:o,values:t,total:n.of(s),isPartial:r}}function Ga(e){return{name:e.length===1?"1 other":`${e.length} others`,values:e[0].values.map((t,s)=>Va(e.map(n=>n.values[s]))),sums:ze(...e.map(({sums:t})=>t))}}var Xa=["requests","errors","input_tokens","output_tokens","cost_usd","unpriced_requests","unused_cost_usd","cached_input_tokens"];function ze(...e){return Object.fromEntries(Xa.map(t=>[t,e.reduce((s,n)=>s+(n[t]??0),0)]))}function Va(e){let t=e.filter(s=>s!==null);return t.length===0?null:t.reduce((s,n)=>s+n,0)}var Ja=[{id:"name",title:"Billed by",isRisingFirst:!0,card:"a",of:e=>ue(e.provider,"provider")},{id:"cost",title:"Cost",of:L,cell:W,isNumber:!0,card:"b"},{id:"unused",title:"Paid but not used",isNumber:!0,card:"d",hint:"Attempts that failed and were billed, and hedges that lost",of:e=>e.unused_cost_usd,text:k},{id:"share",title:"Of its cost",isNumber:!0,of:e=>L(e)?e.unused_cost_usd/L(e):void 0,text:e=>C(e,1)},{id:"requests",title:"Answered",isNumber:!0,card:"c",mark:"Answered",hint:"Requests that the provider answered: attempts that it bills may be more",of:e=>e.requests,text:$},{id:"input",title:"Input",of:e=>e.input_tokens,text:E,isNumber:!0},{id:"cached",title:"Cached",of:({cached_input_tokens:e})=>e,text:E,isNumber:!0},{id:"output",title:"Output",of:e=>e.output_tokens,text:E,isNumber:!0}];function _o({entries:e,total:t}){let s=t?.unused_cost_usd??0;return a`
    <p>
      ${s>0?a`<strong>${k(s)}</strong> was paid for answers that were not used, ${C(s,L(t)??0)} of the cost.`:"Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${U} label="Cost by provider" columns=${Ja} rows=${e}
      idOf=${n=>String(n.provider)} order=${{id:"cost",isRising:!1}} />
  `}var Za="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),xo={hour:[1,2,3,6,12,24],day:[1,2,7,14,28,56,112,364]};function So(e,t,s){let n=e[0]?.values.length??0,o=s.width/n,r=Math.min(72,Math.max(1,o*.75)),i=Array(n).fill(0),u=l=>s.top+s.height*(1-l/t);return e.map(({values:l})=>l.map((c,f)=>{if(!c)return"";let p=i[f];i[f]+=c;let m=s.left+o*(f+.5)-r/2,y=u(i[f]);return`M${le(m)} ${le(y)}h${le(r)}V${le(u(p))}h${le(-r)}z`}).join(""))}function Oo(e,t,s){let n=s.width/(e[0]?.values.length??1);return e.map(({values:o})=>o.map((r,i)=>{if(r===null)return"";let u=le(s.left+n*(i+.5)),l=le(s.top+s.height*(1-r/t));return(o[i-1]??null)===null?`M${u} ${l}h0`:`L${u} ${l}`}).join(""))}var _t={height:240,left:64,right:8,top:14,bottom:26};function To({course:{start:e,end:t,points:s},forecast:n,budget:o,width:r}){let{bottom:i,height:u,left:l,top:d}=_t,c=s.at(-1),f=ns([{values:[c.usd,o??0,n?.high??0]}],{isLines:!0}),p=f.at(-1),m=r-_t.right,y=v=>le(l+(m-l)*(v-e)/(t-e)),h=v=>le(d+(u-d-i)*(1-v/p)),b=`M${y(c.time)} ${h(c.usd)}`;return{ticks:f,x:y,y:h,right:m,spent:s.map(({time:v,usd:w},g)=>`${g===0?"M":"L"}${y(v)} ${h(w)}`).join(""),band:n&&`${b}L${m} ${h(n.high)}V${h(n.low)}z`,line:n&&`${b}L${m} ${h(n.usd)}`,budget:o===void 0?void 0:`M${l} ${h(o)}H${m}`}}function ns(e,{isWhole:t,isLines:s=!1}){let o=(e[0]?.values.map((d,c)=>{let f=e.map(({values:p})=>p[c]??0);return s?Math.max(...f):f.reduce((p,m)=>p+m,0)})??[]).reduce((d,c)=>Math.max(d,c),0);if(o===0)return t?[0,1]:[0,.01];let r=10**Math.floor(Math.log10(o/5)),i=[1,2,5,10].find(d=>o/(d*r)<=5)??10,u=t?Math.max(1,i*r):i*r,l=Math.ceil(o/u-1e-9);return Array.from({length:l+1},(d,c)=>Number((c*u).toPrecision(12)))}function Co(e,t,s){let n=Math.max(1,Math.floor(s/64)),o=xo[t].find(r=>e.length/r<=n)??xo[t].at(-1);return e.flatMap((r,i)=>(t==="hour"?new Date(r*1e3).getUTCHours():i)%o===0?[{index:i,text:Ya(r,t)}]:[])}function Ya(e,t){let s=new Date(e*1e3);return t==="hour"?s.toISOString().slice(11,16):`${s.getUTCDate()} ${Za[s.getUTCMonth()]}`}function os(e,t){let s=new Date(e*1e3).toISOString();return t==="hour"?`${s.slice(0,10)} ${s.slice(11,16)}`:s.slice(0,10)}function le(e){return Math.round(e*10)/10}var xt=240,he=64,qo=8,St=10,Qa=26,za=48;function Mo({chart:e,linkOf:t}){let[s,n]=_(null),{isOpen:o,metric:r,unit:i,times:u,series:l,unpriced:d,zone:c}=e,f=s!==null&&s<u.length?s:null;return a`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${r.name} per ${i}</strong>
        <span class="soft small">
          ${f===null?`Times in ${c}${o&&i==="day"?"; today is not over":""}`:`${os(u[f],i)} ${c}`}
        </span>
      </figcaption>
      <${eu} chart=${e} hovered=${f} onHover=${n} linkOf=${t} />
      <ul class="legend">
        ${l.map(({name:p,values:m,isOther:y,...h},b)=>a`
            <li key=${`${b}${p}`}>
              <span class=${`swatch ${Ro(y,b)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${p}</span>
              <strong>
                ${f===null?Ao(h,r):rs(m[f],r)}
              </strong>
            </li>
          `)}
      </ul>
      ${d>0&&a`
        <p class="hint">
          The price of ${d} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${tu} chart=${e} linkOf=${t} zone=${c} />
    </figure>
  `}function eu({chart:e,hovered:t,onHover:s,linkOf:n}){let o=D(null),r=Ae(o),{isOpen:i,metric:u,unit:l,times:d,series:c}=e,f={left:he,top:St,width:r-he-qo,height:xt-St-Qa},p=f.width/d.length,m=ns(c,u),y=u.isLines?Oo:So,h=r===0?[]:y(c,m.at(-1),f),b=g=>f.top+f.height*(1-g/m.at(-1)),v=g=>{let x=g.clientX-o.current.getBoundingClientRect().left-he,M=Math.floor(x/p);s(M>=0&&M<d.length?M:null)},w=`${u.name} per ${l}: ${c.map(({name:g,...x})=>`${g} ${Ao(x,u)}`).join(", ")}`;return a`
    <div
      class=${u.isLines?"plot lines":"plot"}
      ref=${o}
      title="Show the requests of a time"
      onPointerMove=${v}
      onPointerLeave=${()=>s(null)}
      onClick=${()=>t!==null&&(location.hash=n(t))}
    >
      <svg
        width=${r}
        height=${xt}
        viewBox=${`0 0 ${r} ${xt}`}
        role="img"
        aria-label=${w}
      >
        ${t!==null&&a`
          <rect
            class="hovered"
            x=${he+t*p}
            y=${St}
            width=${p}
            height=${f.height}
          />
        `}
        ${m.map(g=>a`
            <g key=${g}>
              <line class="grid" x1=${he} x2=${r-qo} y1=${b(g)} y2=${b(g)} />
              <text x=${he-8} y=${b(g)+4} text-anchor="end">${u.format(g)}</text>
            </g>
          `)}
        ${h.map((g,x)=>a`<path key=${x} class=${Ro(c[x].isOther,x)} d=${g} />`)}
        ${i&&!u.isLines&&r>0&&a`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${he+(d.length-1)*p} y=${St} width=${p}
            height=${f.height} />
        `}
        ${r>0&&Co(d,l,f.width).map(({index:g,text:x})=>a`
            <text
              key=${g}
              x=${he+(g+.5)*p}
              y=${xt-8}
              text-anchor=${(d.length-g-.5)*p<za/2?"end":"middle"}
            >${x}</text>
          `)}
      </svg>
    </div>
  `}function rs(e,t){return e===null?t.isLines?"\u2013":"unknown":t.format(e)}function Ao({total:e,isPartial:t},s){return`${t&&e!==null?"\u2265 ":""}${rs(e,s)}`}function Ro(e,t){return e?"series-other":`series-${t+1}`}function tu({chart:{times:e,series:t,metric:s,unit:n},linkOf:o,zone:r}){let[i,u]=_(!1);return a`
    <details onToggle=${l=>u(l.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${i&&a`
        <${Me} label=${`${s.name} per ${n}`}>
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
                    <a href=${o(d)}>${os(l,n)}</a>
                  </th>
                  ${t.map(({values:c},f)=>a`
                      <td key=${f} class="number">${rs(c[d],s)}</td>
                    `)}
                </tr>
              `)}
          </tbody>
          <//>
      `}
    </details>
  `}var Lo=["requests","errors","input_tokens","cached_input_tokens","output_tokens","cost_usd","unused_cost_usd","unpriced_requests"];function is({by:e,period:{from:t,to:s,zone:n},then:o}){let r=[e,o].filter(i=>i);return`usage_${[z(t,n),z(s-1,n),...r].join("_")}.csv`}function No({by:e,detailed:t,groups:s,then:n,total:o}){let r=[e,n].filter(u=>u),i=[[...r,...Lo]];for(let u of t??s)i.push([...r.map(l=>ue(u[l],l)),...Eo(u)]);return i.push([...r.map((u,l)=>l===0?"Total":""),...Eo(o??{})]),i.map(u=>u.map(su).join(",")+`
`).join("")}function Eo(e){return Lo.map(t=>e[t]??(t==="cost_usd"?"":0))}function su(e){if(typeof e=="number")return String(e);let t=/^[=+\-@\t\r]/.test(e)?`'${e}`:e;return/[",;\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t}function Io({data:e}){let t=e.detailed??e.groups,s=e.hasMore?`the first ${$(t.length)} rows`:`${$(t.length)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${is(e)}
      onClick=${()=>pt(is(e),No(e))}>CSV, ${s}</button>
  `}var nu={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"};function Po({choice:e,session:t,onChange:s}){let[n,o]=_(e),r=$t(t),i=ae.map(c=>e[c]).join(`
`);B(()=>o(e),[i]);let u=(c,f)=>{let p=f.trim();p!==e[c]&&s({[c]:p,...p!==""&&ou(c,e)})},l=new Set(["key","team","owner"]),d=ae.filter(c=>!l.has(c)||t.hasAdmin);return a`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${c=>c.preventDefault()}
    >
      ${d.map(c=>a`
          <div class="field" key=${c}>
            <label for=${`usage-${c}`}>${nu[c]}</label>
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
        <button type="button" class="quiet" onClick=${()=>s(Object.fromEntries(ae.map(c=>[c,""])))}>Clear</button>
      `}
    </form>
  `}function ou(e,{by:t}){let s=e==="tag"?"end_user":e==="end_user"?"tag":void 0;return s&&{[s]:"",...t===s&&{by:"model"}}}var ru=864e5,iu=7,au=3;function Fo({spent:e,costs:t,now:s,zone:n,since:o=-1/0}){let r=J(s,n),i=[];for(let p=1;p<=iu;p++){let m=J(r,n,-p);if(m<o)break;i.push(t.get(z(m,n))??0)}if(i.length<au)return;let l=(fe(s,n,1)-s)/ru,d=i.toSorted((p,m)=>p-m),c=i.reduce((p,m)=>p+m,0)/i.length,f=p=>e+p*l;return{usd:f(c),low:f(Do(d,.1)),high:f(Do(d,.9)),mean:c,left:l,days:i.length}}function Uo({spent:e,costs:t,now:s,zone:n}){let[o,r]=[fe(s,n),fe(s,n,1)],i=[{time:o,usd:0}];for(let u=o;u<J(s,n);){let l=i.at(-1).usd+(t.get(z(u,n))??0);u=J(u,n,1),i.push({time:u,usd:l})}return{start:o,end:r,points:[...i,{time:s,usd:e}]}}function Bo(e,t,s){let n=new Map(e.filter(r=>r.status==="active"&&r.budget?.per==="month"&&["team","owner"].every(i=>s[i]===""||r[i]===s[i])&&(s.key===""||r.name===s.key)).map(({budget:r,name:i})=>[i,r.usd]));if(!(t.some(r=>r.cost_usd>0&&!n.has(r.key))||n.size===0))return[...n.values()].reduce((r,i)=>r+i,0)}function Do(e,t){let s=t*(e.length-1),[n,o]=[e[Math.floor(s)],e[Math.ceil(s)]];return n+(o-n)*(s-Math.floor(s))}function Ho(e){let{budget:t,forecast:s,isMonth:n,now:o,rangeName:r,requests:i,spent:u,unpriced:l,zone:d}=e;if(i===0)return{title:`No requests: ${r.toLowerCase()}`,text:""};let c=u??0,f=l>0?"at least ":"";if(!n)return{title:`${r}: ${u===null?"an unknown cost":`${f}${k(c)}`}`,text:`${$(i)} requests.`};let p=Te(d,{month:"long"}).format(o);if(s===void 0)return{title:`${p} has cost ${f}${k(c)} so far`,text:"A forecast needs three full days."};let m=t===void 0?0:s.usd-t,y=t===void 0?"":m>0?`, ${G(m)} over the budgets`:`, ${G(-m)} under the budgets`;return{title:`${p} will end near ${f}${G(s.usd)}${y}`,text:`${k(c)} is spent. The forecast adds the mean of the last ${s.days} full days, ${k(s.mean)}, for the ${s.left.toFixed(1)} days that are left; it lies between ${G(s.low)} and ${G(s.high)}.`}}function G(e){return e<100?k(e):`$${$(Number(e.toPrecision(3)))}`}var uu=new Set(["(other)","(unreadable)"]);function jo(e,{from:t,to:s},n={}){let o=Object.entries(Ne(e)).filter(([r])=>je.includes(r));return q(ut({...re,...Object.fromEntries(o),...n},t,s))}function as(e,t,s,n,o=""){if(!(n==null||uu.has(n)))return je.includes(s)?jo(e,t,{[s]:n,status:o}):Ie({...e,[s]:n,by:"key",then:""})}function Ko(e,{end:t,starts:s},n){return jo(e,{from:s[n],to:s[n+1]??t})}async function Ot(e){let t=[],s=null;do{let n={limit:String(5e3),...s!==null&&{after:s}},o=await e(n);t.push(o.part),s=o.next??null}while(s!==null&&t.length<20);return{parts:t,hasMore:s!==null}}var lu=2e4,cu=8;function Wo(e,t,s){let n=Ne(t),o=m=>{let y=async(b,v,w=s)=>{let g={...wt(v,w),...n,...b!==""&&{group_by:b}},{parts:x,hasMore:M}=await Ot(async X=>{let{data:A,next:ne}=await O(F(e,"usage",{...g,...X}),{signal:m});return{part:A,next:ne}});return{entries:x.flat(),hasMore:M}},h=()=>e.hasAdmin?Promise.all([it({},m),y("key",Qe(t,P(),s))]).then(([b,{entries:v}])=>Bo(b,v,t)).catch(()=>{}):O("/v1/usage?from=2100-01-01&to=2100-01-02",{signal:m}).then(({budget:b})=>gu(b)?b.limit_usd:void 0);return du({choice:t,get:y,now:P(),zone:s,budgets:h})},{by:r,from:i,prefix:u,range:l,show:d,then:c,to:f}=t,p=[e.hasAdmin,l,i,f,r,c,u,s,d==="latency"];return N(o,[...p,JSON.stringify(n)])}async function du({choice:e,get:t,now:s,zone:n,budgets:o}){let{by:r,then:i}=e,u=Qe(e,s,n),l=e.show==="latency",d=e.range==="month",c=d?{from:Math.min(u.from,J(s,n,-cu)),to:s+1}:void 0,f=d&&hu.every(Y=>e[Y]===""),[p,m,y,h,b,v,w]=await Promise.all([t("",u),t(r,u),i===""?void 0:t(`${r},${i}`,u),t("model,provider",u),c&&t("day",c),$u(e,t,u),f?o():void 0]),g=m.entries.length*u.starts.length,x=m.hasMore||g>lu,M=await t(x||l?u.unit:`${u.unit},${r}`,u),X=p.entries[0],A=X===void 0?0:L(X),ne=new Map((b?.entries??[]).map(Y=>[Y.day,L(Y)??0])),nt={spent:A??0,costs:ne,now:s,zone:n},hs=b&&Fo({...nt,since:v.since}),It=Y=>r==="tag"&&e.prefix!==""?go(Y,e.prefix):Y;return{total:X,period:u,choice:e,by:r,then:i,isLatency:l,isTogether:x,budget:w,forecast:hs,course:d?Uo(nt):void 0,headline:{spent:A,forecast:hs,budget:w,now:s,zone:n,isMonth:d,requests:X?.requests??0,unpriced:X?.unpriced_requests??0},groups:It(m.entries),hasMore:m.hasMore,detailed:y&&It(y.entries),prefixes:r==="tag"?ho(m.entries):[],series:x||l?M.entries:It(M.entries),compared:v.result,bill:fu(h.entries),unpriced:h.entries.filter(({unpriced_requests:Y})=>Y>0).sort((Y,Dr)=>Dr.unpriced_requests-Y.unpriced_requests)}}function fu(e){return[...Map.groupBy(e,({provider:t})=>t)].map(([t,s])=>({...pu(s),provider:t}))}function pu(e){let t={};for(let s of e)for(let[n,o]of Object.entries(s))typeof o=="number"&&(t[n]=(t[n]??0)+o);return{cost_usd:0,...t}}async function $u(e,t,s){let n=co(e,s),o=fe(s.from,s.zone,-12),[r]=(await t("day",{from:o,to:s.to},"UTC")).entries.map(({day:c})=>c).sort(),i=r===void 0?s.to:Date.parse(r);if(n===void 0||i>n.before.from)return{since:i,result:void 0};let[u,l]=await Promise.all([t("",n.now),t("",n.before)]),d=u.entries[0]&&l.entries[0]?{now:u.entries[0],before:l.entries[0],name:mu(n.before,s.zone)}:void 0;return{since:i,result:d}}function mu({from:e,to:t},s){return Te(s,{day:"numeric",month:"short"}).formatRange(e,t-1)}var hu=["model","provider","tag","end_user"];function gu(e){return e?.renews_at?Date.parse(e.renews_at)-Date.parse(e.period_start)>27*864e5:!1}var Go=14;function Xo({data:{budget:e,course:t,forecast:s,period:{zone:n}}}){let o=D(null),r=Ae(o),{start:i,end:u,points:l}=t,{height:d,left:c,top:f}=_t,{right:p,ticks:m,x:y,y:h,...b}=To({course:t,forecast:s,budget:e,width:r}),v=Te(n,{day:"numeric",month:"short"}),w=l.at(-1),g=[i,(i+u)/2,u-1],x=[`${k(w.usd)} on ${v.format(w.time)}`,s&&`forecast ${G(s.usd)} on ${v.format(u-1)}, between ${G(s.low)} and ${G(s.high)}`,e!==void 0&&`the budget is ${k(e)}`].filter(Boolean).join("; ");return a`
    <figure class="card chart month-chart">
      <figcaption class="row spread">
        <strong>Cost of the month</strong>
        <span class="soft small">
          ${s?`Forecast of ${v.format(u-1)}: ${G(s.usd)}`:`Until ${v.format(w.time)}, ${n}`}
        </span>
      </figcaption>
      <div class="plot" ref=${o}>
        <svg width=${r} height=${d} viewBox=${`0 0 ${r} ${d}`} role="img"
          aria-label=${x}>
          ${m.map(M=>a`
              <g key=${M}>
                <line class="grid" x1=${c} x2=${p} y1=${h(M)} y2=${h(M)} />
                <text x=${c-8} y=${h(M)+4} text-anchor="end">${k(M)}</text>
              </g>
            `)}
          ${g.map((M,X)=>a`
              <text key=${z(M,n)} x=${y(M)} y=${d-8}
                text-anchor=${["start","middle","end"][X]}>${v.format(M)}</text>
            `)}
          ${b.band&&a`<path class="band" d=${b.band} />`}
          ${b.budget&&a`<path class="budget-line" d=${b.budget} />`}
          <path class="spent" d=${b.spent} />
          ${b.line&&a`<path class="forecast" d=${b.line} />`}
          ${b.budget&&a`
            <text x=${c+4} y=${h(e)+(h(e)<f+Go?Go:-4)}
            >Budget ${k(e)}</text>
          `}
        </svg>
      </div>
      ${s===void 0&&a`<p class="hint">A forecast needs three full days.</p>`}
    </figure>
  `}var bu=[{name:"input",label:"US dollars per million input tokens"},{name:"output",label:"US dollars per million output tokens"},{name:"cached_input",label:"Per million cached input tokens",isOptional:!0}],vu=[{unit:"searches",name:"thousand_searches",label:"US dollars per 1,000 searches"},{unit:"images",name:"image",label:"US dollars per image"},{unit:"characters",name:"million_characters",label:"US dollars per million characters"},{unit:"seconds",name:"minute",label:"US dollars per minute"}];function Vo(e){let t=vu.filter(({unit:o})=>e[o]>0),s=t.length===0||e.input_tokens+e.output_tokens>0,n=bu.map(o=>t.length>0?{...o,isOptional:!0}:o);return[...t,...s?n:[]]}function Jo({data:e,targets:t},s,n){let o=(e.find(({id:i})=>i===s)?.steps??[]).flatMap(i=>i.targets).filter(i=>i.provider===n).map(({upstream:i})=>i),r=t.filter(i=>i.provider===n&&o.includes(i.upstream));return r.length>0?r.map(({id:i})=>i):s===null?[]:[s]}function Zo(e,t,s,n,o){let r=e.find(({path:p})=>p[0]==="providers"&&p[1]===t);if(r===void 0||s===void 0)return{fault:"config.yaml has no such provider: change its text."};let i=r.fields.find(({path:p})=>p.length===1&&p[0]==="models");if(i?.items===void 0)return{fault:"The provider has no list of models: name the model in 'models' first."};let u=n.map(({isOptional:p,name:m})=>[m,o[m]??"",p]);if(!u.every(([,p,m])=>/^\d+(\.\d+)?$/.test(p)||m&&p===""))return{};let d=Object.fromEntries(u.filter(([,p])=>p!=="").map(([p,m])=>[p,Number(m)])),c=i.items.findIndex(({name:p})=>p===s),f=[...r.path,"models",c===-1?i.items.length:c];return c!==-1&&i.items[c].is_text?{edits:[{path:[...f,"prices"],value:d}]}:{edits:[{path:f,value:{id:s,prices:d}}]}}var us=20;function Yo({entries:e,canSet:t}){let[s,n]=_(void 0),[o,r]=_([]),i=t&&e.length>0,{data:u}=N(async c=>i?await O("/v1/admin/config",{signal:c}):void 0,[i]);if(e.length===0)return null;let l=e.reduce((c,f)=>c+f.unpriced_requests,0),d=u?.editable===!1?u.read_only_reason:void 0;return a`
    <section class="to-do stack" aria-labelledby="to-do-title">
      <h2 id="to-do-title">${$(e.length)} ${e.length===1?"model has":"models have"} no price</h2>
      <p>${$(l)} ${l===1?"request is":"requests are"} not in these sums.${d&&a`<span class="soft"> ${d}.</span>`}</p>
      <ul class="price-list">
        ${e.slice(0,us).map(c=>a`
            <li key=${ls(c)}>
              <span class="wrap-anywhere"><code>${c.model??"(no model)"}</code>
                <span class="soft"> at ${c.provider??"no provider"}, ${$(c.unpriced_requests)} ${c.unpriced_requests===1?"request":"requests"}</span></span>
              ${o.includes(ls(c))?a`<span class="soft">Requests have a cost from now on.</span>`:t&&a`
                  <button type="button" class="small" title=${d}
                    disabled=${!u||d!==void 0}
                    onClick=${()=>n(c)}
                    aria-label=${`Set a price of ${c.model} at ${c.provider}`}
                  >Set a price</button>
                `}
            </li>
          `)}
      </ul>
      ${e.length>us&&a`
        <p class="soft">And ${$(e.length-us)} more.</p>
      `}
      ${s&&a`
        <${ku} entry=${s} onClose=${()=>n(void 0)}
          onSaved=${()=>{r([...o,ls(s)]),n(void 0)}} />
      `}
    </section>
  `}function ls({model:e,provider:t}){return JSON.stringify([e,t])}async function yu({model:e,provider:t},s){let[n,o]=await Promise.all([O("/v1/admin/config",{signal:s}),O("/v1/admin/routes",{signal:s})]),r=n.file_text??n.text,{objects:i}=await O("/v1/admin/config/form",{body:{text:r,edits:[]},signal:s});return{config:n,base:r,objects:i,targets:Jo(o,e,t)}}function ku({entry:e,onSaved:t,onClose:s}){let n=ys("price"),[o,r]=_(0),{data:i,error:u}=N(g=>yu(e,g),[o]),[l,d]=_(void 0),[c,f]=_({}),[p,m]=_({}),y=Vo(e),h=i?.targets.find(g=>g===l)??i?.targets[0],{edits:b,fault:v}=i?Zo(i.objects,e.provider,h,y,c):{};if(p.text!==void 0)return a`
      <${Bs} config=${i.config} base=${i.base} text=${p.text}
        onSaved=${t} onClose=${s} onReload=${()=>{r(o+1),m({})}} />
    `;let w=async g=>{g.preventDefault();try{let x={text:i.base,edits:b};m(await O("/v1/admin/config/form",{body:x}))}catch(x){m({error:x})}};return a`
    <${H} title=${`Set a price of ${e.model}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${w}>
        <${T} error=${u??p.error} title="The price cannot be set" />
        ${!i&&!u&&a`<${R} />`}
        ${i?.targets.length>1&&a`
          <div class="field">
            <label for=${n}>Model in config.yaml</label>
            <select id=${n} value=${h} onChange=${g=>d(g.target.value)}>
              ${i.targets.map(g=>a`<option key=${g} value=${g}>${g}</option>`)}
            </select>
          </div>
        `}
        ${i&&v&&a`<p class="fault">${v}</p>`}
        ${y.map(({label:g,name:x,isOptional:M})=>a`
            <div class="field" key=${x}>
              <label for=${`${n}-${x}`}>${g}${M?", if it differs":""}</label>
              <input id=${`${n}-${x}`} type="text" inputmode="decimal" autocomplete="off"
                value=${c[x]??""} required=${!M}
                pattern="\\d{1,9}([.]\\d{1,9})?"
                onInput=${X=>f({...c,[x]:X.target.value})} />
            </div>
          `)}
        <p class="hint">Requests have a cost from then on; earlier ones stay without one.</p>
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          <button type="submit" class="primary" disabled=${!b}>Review the change</button>
        </div>
      </form>
      <//>
  `}var Qo={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"},cs=e=>({of:t=>t[e],text:E,isNumber:!0});function wu(e,t){let s=e?L(e)??0:0;return[{id:"cost",title:"Cost",of:L,cell:W,isNumber:!0,card:"b"},{id:"share",title:"Share",isNumber:!0,card:"d",of:n=>s>0?(L(n)??0)/s:void 0,cell:n=>C(L(n)??0,s)},{id:"requests",title:"Requests",isNumber:!0,card:"c",mark:"Requests",of:n=>n.requests,text:$},{id:"errors",title:"Errors",isNumber:!0,of:n=>n.errors||null,cell:n=>{let o=t(n,"error");return o?a`<a href=${o}>${$(n.errors)}</a>`:$(n.errors)}},{id:"input",title:"Input",hint:"Input tokens",...cs("input_tokens")},{id:"cached",title:"Cached",hint:"Cached input",...cs("cached_input_tokens")},{id:"output",title:"Output",hint:"Output tokens",...cs("output_tokens")},...xe.map(n=>({...n,isNumber:!0,of:o=>o[n.id]||null})),{id:"unused",title:"Not used",isNumber:!0,hint:"Cost of attempts whose answer was not used",of:n=>n.unused_cost_usd||null,text:k},{id:"p50",title:"p50",of:({p50_ms:n})=>n,text:S,isNumber:!0},{id:"p95",title:"p95",of:({p95_ms:n})=>n,text:S,isNumber:!0}]}function zo({entries:e,detailed:t,by:s,then:n,total:o,linkOf:r}){let[i,u]=_({id:"cost",isRising:!1}),l=Qo[s]+(n===""?"":`, ${Qo[n].toLowerCase()}`),d=[{id:"name",title:l,isRisingFirst:!0,card:"a",of:({isSub:f,...p})=>ue(p[f?n:s],f?n:s)},...wu(o,r)],c=V(()=>{let f=d.find(({id:y})=>y===i.id),p=Pt(e,f,i.isRising);if(t===void 0)return p;let m=Map.groupBy(t,y=>y[s]);return p.flatMap(y=>[y,...Pt((m.get(y[s])??[]).map(h=>({...h,isSub:!0})),f,i.isRising)])},[e,t,i]);return a`
    <${U} label=${`Usage by ${l.toLowerCase()}`} columns=${d} rows=${c}
      idOf=${f=>JSON.stringify([f[s],f.isSub?f[n]:void 0])}
      hrefOf=${f=>f.isSub?void 0:r(f)}
      classOf=${({isSub:f})=>f?"sub":""} order=${i} onOrder=${u} />
  `}var _u=.05;function er({data:e}){let{budget:t,compared:s,forecast:n,total:o}=e,{requests:r=0,errors:i=0,input_tokens:u=0,output_tokens:l=0}=o??{},d=o?L(o):0;return a`
    <dl class="figure-grid card">
      <${I} label="Cost" value=${W(o)}
        note=${xu(t!==void 0&&`${C(d??0,t)} of ${k(t)}`,o?.unpriced_requests>0&&`${$(o.unpriced_requests)} with an unknown price`)} tone=${t!==void 0&&d>t?"bad":""} />
      ${n&&a`
        <${I} label="Forecast" value=${G(n.usd)}
          note=${`${G(n.low)} to ${G(n.high)}`} />
      `}
      ${s&&a`
        <${I} label=${`Against ${s.name}`} value=${ss(L(s.now),L(s.before))||"\u2013"}
          note=${`${W(s.now)} against ${W(s.before)}, full days`} />
      `}
      <${I} label="Requests" value=${$(r)}
        note=${s&&ss(s.now.requests,s.before.requests)} />
      <${I} label="Errors" value=${$(i)}
        note=${i>0?`${(100*i/r).toFixed(1)} % of requests`:""}
        tone=${i>r*_u?"bad":""} />
      <${I} label="Input tokens" value=${E(u)} note=${Su(o)} />
      <${I} label="Output tokens" value=${E(l)} note=${Ou(o)} />
      ${mt([o]).map(({id:c,title:f,text:p})=>a`<${I} key=${c} label=${f} value=${p(o[c])} />`)}
      <${I} label="Duration, p50" value=${r>0?S(o.p50_ms):"\u2013"}
        note=${r>0?`p95 ${S(o.p95_ms)}`:""} />
    </dl>
  `}function xu(...e){return e.filter(t=>t).join(", ")}function Su(e){return e?.cached_input_tokens>0?`${E(e.cached_input_tokens)} cached`:""}function Ou(e){let t=e?.estimated_requests??0;return t>0?`${$(t)} requests estimated`:""}var Tu=[["model","Model"],["provider","Provider"],["team","Team"],["owner","Owner"],["key","Key"],["tag","Tag"],["end_user","End user"]],tr=["tag","end_user"],Cu=["team","owner","key"];function Tt(e,t,s=""){let n=tr.filter(o=>t[o]!==""||o===s);return Tu.filter(([o])=>(e.hasAdmin||!Cu.includes(o))&&o!==s&&(!tr.includes(o)||n.every(r=>r===o)))}function qu(e,t){let s=(r,i)=>r.some(([u])=>u===i),n=s(Tt(e,t),t.by)?t.by:"model",o=s(Tt(e,t,n),t.then)?t.then:"";return{...t,by:n,then:o}}function nr({route:e}){let t=K(),s=dt(),n=qu(t,kt(e.query)),{data:o,error:r,isLoading:i,reload:u}=Wo(t,n,s),l=f=>location.hash=Ie({...n,...f}),{title:d,text:c}=o?Ho({...o.headline,rangeName:rt(n,s)}):{title:"Usage",text:""};return a`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${d}</h1>
          <p class="soft">${c} ${t.hasAdmin?"All keys.":"Usage of your key."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${u}
            disabled=${i}>Refresh</button>
          ${o&&a`<${Io} data=${o} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>
            Print
          </button>
        </div>
      </header>
      <${Po} choice=${n} session=${t} onChange=${l} />
      ${o&&a`<${Mu} choice=${n} period=${o.period} />`}
      <${T} error=${r} title="No usage" />
      ${!o&&!r&&a`<${R} text="Loading the usage" />`}
      ${o&&a`
        <div class=${`stack wide ${i?"stale":""}`}>
          <${er} data=${o} />
          <${Yo} entries=${o.unpriced} canSet=${t.hasAdmin} />
          <div class="row"><${de} label="Kind of report" value=${n.tab}
            options=${[["use","By use"],["bill","By bill"]]}
            onChange=${f=>l({tab:f})} /></div>
          ${o.groups.length===0?a`<div class="card empty">No request has ended in this time.</div>`:n.tab==="bill"?a`<${_o} entries=${o.bill} total=${o.total} />`:a`
              <${Au} data=${o} choice=${n} session=${t} onChange=${l} />
            `}
        </div>
      `}
    </div>
  `}function Mu({choice:e,period:t}){let s=Object.entries(Ne(e)).map(([n,o])=>`${n.replace("_"," ")} ${o}`);return a`
    <p class="only-print">
      ${[`${Z(t.from)} to ${Z(Math.min(t.to,P()))}`,...s].join(", ")}
    </p>
  `}function Au({data:e,choice:t,session:s,onChange:n}){let{by:o,detailed:r,groups:i,hasMore:u,isLatency:l,isTogether:d,period:c,series:f,then:p,total:m}=e,y=l?yo(f,c,m):vo(f,c,{by:d?null:o,show:sr(t)}),h=e.course!==void 0&&sr(t)==="cost",b=(v,w)=>e.choice.prefix===""?as(e.choice,c,o,v[o],w):as(e.choice,c,o,`${e.choice.prefix}:${v[o]}`,w);return a`
    <div class="row spread">
      <div class="row">
        <${de} label="Group by" value=${t.by} options=${Tt(s,t)}
          onChange=${v=>n({by:v,prefix:""})} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${t.then}
            onChange=${v=>n({then:v.target.value})}>
            <option value="">nothing</option>
            ${Tt(s,t,t.by).map(([v,w])=>a`<option key=${v} value=${v}>${w}</option>`)}
          </select>
        ${o==="tag"&&e.prefixes.length>0&&a`
          <span class="small soft">of</span>
          <select class="inline" aria-label="Prefix of tags" value=${t.prefix}
            onChange=${v=>n({prefix:v.target.value})}>
              <option value="">all tags</option>
              ${e.prefixes.map(v=>a`<option key=${v} value=${v}>${v}:</option>`)}
            </select>
        `}
      </div>
      <${de} label="Figure of the chart" value=${t.show}
        options=${ts.map(({id:v,name:w})=>[v,w])}
        onChange=${v=>n({show:v})} />
    </div>
    <div class=${h?"usage-charts":""}>
      <${Mo} chart=${y} linkOf=${v=>Ko(e.choice,c,v)} />
      ${h&&a`<${Xo} data=${e} />`}
    </div>
    ${d&&!l&&a`
      <p class="hint">
        There are ${u?"more than ":""}${$(i.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${o==="tag"&&a`<p class="hint">${bo(m,i,u)}</p>`}
    <section>
      <${zo} entries=${i} detailed=${r} by=${o} then=${p}
        total=${m}
        linkOf=${b} />
    </section>
  `}function sr({show:e}){return e==="latency"?"requests":e}var mr={};ve(mr,{default:()=>$r});var rr=Object.fromEntries(["requests","input_tokens","cached_input_tokens","cache_write_tokens","cost_usd","unpriced_requests","saved_usd","cache_write_usd","unpriced_cached_requests","response_cache_hits","response_cache_misses","response_cache_saved_usd","unpriced_response_cache_hits","queued_requests","queued_ms","hedged_requests","hedge_usd","unpriced_hedges","price_ordered_requests","price_order_saved_usd","unpriced_price_orders","affinity_hits","affinity_moves","affinity_starts","affinity_input_tokens","affinity_cached_input_tokens","affinity_saved_usd"].map(e=>[e,0]));function te(e){let{saved_usd:t,cache_write_usd:s,response_cache_saved_usd:n,hedge_usd:o}=e,{price_order_saved_usd:r}=e,i=t-n;return{prompt:i,reads:i+s,writes:s,response:n,order:r,hedges:o,net:t+r-o,unknown:e.unpriced_cached_requests+e.unpriced_response_cache_hits+e.unpriced_hedges+e.unpriced_price_orders}}function ir(e){let t=L(e),{net:s,unknown:n}=te(e);return t===null||n>0||e.unpriced_requests>0?null:t+s>0?s/(t+s):null}function ar(e){return{input:e.input_tokens-e.affinity_input_tokens,cached:e.cached_input_tokens-e.affinity_cached_input_tokens}}function ur(e){return e.affinity_hits+e.affinity_moves+e.affinity_starts}var lr={prompt:{text:"On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. Most other vendors cache by themselves.",config:`routing:
  prompt_caching: auto`},sessions:{text:"Sends the requests of a session to the target whose cache has its prompt.",config:`routing:
  affinity: { ttl: auto }`},order:{text:"Asks the cheapest of equal targets first. A nested list is a group of equals.",config:`aliases:
  cheapest:
    targets: [[model-a, model-b]]
    balance: price`},response:{text:"Answers equal requests with a temperature of 0 from memory, for each key separately.",config:`routing:
  cache: { ttl: 5m }`},hedges:{text:"Sends the request to a second target if the first one takes unusually long. It costs money and saves time.",config:`routing:
  hedge: { after: p90, share: 5%, usd_per_hour: 2 }`},queue:{text:"Requests wait for a limit instead of getting a 429.",config:`routing:
  queue: { max_wait: 20s }`}};function cr({total:e}){let t=te(e);return a`
    <div class="saving-grid">
      <${Ru} total=${e} amounts=${t} />
      <${Eu} total=${e} />
      <${Lu} total=${e} amounts=${t} />
      <${Nu} total=${e} amounts=${t} />
      <${Iu} total=${e} amounts=${t} />
      <${Pu} total=${e} />
    </div>
  `}function Ru({total:e,amounts:t}){let{cached_input_tokens:s,cache_write_tokens:n,input_tokens:o}=e;return a`
    <${Pe}
      id="prompt"
      title="Prompt caching"
      isUsed=${s+n>0}
      value=${k(t.prompt)}
      what="saved, less the cost of writes"
      facts=${[["Reads saved",k(t.reads)],["Writes cost",k(t.writes)],["Cached input",`${C(s,o)}, ${E(s)} of ${E(o)}`],["Written",`${E(n)} tokens`],Ct(e.unpriced_cached_requests)]}
      basis="The vendors' token counts, at their prices."
    />
  `}function Eu({total:e}){let{affinity_hits:t,affinity_moves:s,affinity_starts:n}=e,o=ar(e);return a`
    <${Pe}
      id="sessions"
      title="Sessions that stay"
      isUsed=${ur(e)>0}
      value=${k(e.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[["Stayed",dr(t)],["Moved",$(s)],["Started",$(n)],["Cached, if stayed",C(e.affinity_cached_input_tokens,e.affinity_input_tokens)],["Cached, others",C(o.cached,o.input)]]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `}function Lu({total:e,amounts:t}){return a`
    <${Pe}
      id="order"
      title="Cheapest first"
      isUsed=${e.price_ordered_requests>0}
      value=${k(t.order)}
      what="saved"
      facts=${[["Requests",$(e.price_ordered_requests)],Ct(e.unpriced_price_orders)]}
      basis="Estimated: the same tokens at the first target in the order of config.yaml."
    />
  `}function Nu({total:e,amounts:t}){let{response_cache_hits:s,response_cache_misses:n}=e;return a`
    <${Pe}
      id="response"
      title="Response cache"
      isUsed=${s+n>0}
      value=${k(t.response)}
      what="saved"
      facts=${[["Hits",`${$(s)}, ${C(s,s+n)}`],["Misses",$(n)],Ct(e.unpriced_response_cache_hits)]}
      basis="What each answer cost when it was made."
    />
  `}function Iu({total:e,amounts:t}){let{hedged_requests:s,requests:n}=e;return a`
    <${Pe}
      id="hedges"
      title="Hedges"
      isUsed=${s>0}
      value=${k(t.hedges)}
      what="spent"
      tone=${t.hedges>0?"warn":""}
      facts=${[["Requests",`${$(s)}, ${C(s,n)}`],Ct(e.unpriced_hedges)]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `}function Pu({total:e}){let{queued_requests:t,queued_ms:s}=e;return a`
    <${Pe}
      id="queue"
      title="Queue"
      isUsed=${t>0}
      value=${$(t)}
      what="requests waited"
      facts=${[["Average wait",S(t===0?0:s/t)],["All waits",S(s)]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `}function dr(e){return e===1?"1 request":`${$(e)} requests`}function Ct(e){return e>0?["Unknown price",`${dr(e)}, not included`]:void 0}function Pe({id:e,title:t,isUsed:s,value:n,what:o,tone:r="",facts:i,basis:u}){return a`
    <section class=${`card saving figure ${r}`} aria-labelledby=${`saving-${e}`}>
      <h2 id=${`saving-${e}`}>${t}</h2>
      ${s?a`
          <p class="figure-line">
            <span class="figure-value">${n}</span>
            <span class="figure-note">${o}</span>
          </p>
          <${oe} class="saving-facts" facts=${i.filter(l=>l)} />
          <p class="hint">${u}</p>
        `:a`<${Du} id=${e} />`}
    </section>
  `}function Du({id:e}){let{text:t,config:s}=lr[e];return a`
    <p class="soft">No request used it in this time.</p>
    <p class="hint">${t}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${s}</pre>
      <${Q} text=${s} label="Copy the settings" isIcon=${!0} class="quiet small" />
    </div>
  `}var Fu={model:"Alias or model",provider:"Provider",key:"Key"},Uu=[{id:"net",title:"Net saved",isNumber:!0,card:"b",of:e=>te(e).net,cell:e=>{let{net:t,unknown:s}=te(e);return`${k(t)}${s>0?" and unknown":""}`}},...[["prompt","Prompt caching"],["response","Response cache"],["order","Cheapest first, est."],["hedges","Hedges cost"]].map(([e,t])=>({id:e,title:t,isNumber:!0,text:k,of:s=>te(s)[e]||void 0})),{id:"cached",title:"Cached input",isNumber:!0,card:"c",mark:"cached",of:e=>e.input_tokens===0?void 0:e.cached_input_tokens/e.input_tokens,text:e=>C(e,1)},{id:"requests",title:"Requests",isNumber:!0,text:$,of:e=>e.requests},{id:"cost",title:"Cost",of:L,cell:W,isNumber:!0,card:"d"}];function fr({entries:e,hasMore:t,by:s}){let n=[{id:"name",title:Fu[s],of:o=>ue(o[s],s),isRisingFirst:!0},...Uu];return a`
    <${U} label=${`Savings by ${s}`} columns=${n} rows=${e}
      idOf=${o=>String(o[s])} order=${{id:"net",isRising:!1}} />
    ${t&&a`<p class="hint">The first ${$(e.length)}.</p>`}
  `}var pr=[["model","Alias or model"],["provider","Provider"],["key","Key"]];function $r({route:e}){let t=K(),s=t.hasAdmin?pr:pr.filter(([p])=>p!=="key"),n=kt(e.query),r=s.some(([p])=>p===n.by)?n:{...n,by:"model"},i=dt(),{data:u,error:l,isLoading:d,reload:c}=Bu(t,r,i),f=p=>location.hash=Ie({...r,...p},"savings");return a`
    <div class="view" data-view="savings">
      <${ee}
        title=${u?.total?Hu(u.total):"Savings"}
        note=${t.hasAdmin?"Requests of all keys.":"Requests of your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${c} disabled=${d}>Refresh</button>
      <//>
      <${T} error=${l} title="No savings" />
      ${!u&&!l&&a`<${R} text="Loading the savings" />`}
      ${u&&a`
        <div class=${`stack wide ${d?"stale":""}`}>
          ${u.total&&a`<${ju} total=${u.total} />`}
          ${!u.total&&a`
            <p class="card empty">No request has ended in this time.</p>
          `}
          <${cr} total=${u.total??rr} />
          ${u.total&&a`
            <div class="row">
              <${de}
                label="Group by"
                value=${r.by}
                options=${s}
                onChange=${p=>f({by:p})}
              />
            </div>
            <${fr} entries=${u.groups} hasMore=${u.hasMore} by=${u.by} />
          `}
        </div>
      `}
    </div>
  `}function Bu(e,t,s){let{range:n,from:o,to:r,by:i}=t;return N(async l=>{let d=wt(Qe(t,P(),s),s),c=m=>O(F(e,"usage",{...d,...m}),{signal:l}),[f,p]=await Promise.all([c({}),Ot(async m=>{let{data:y,next:h}=await c({group_by:i,...m});return{part:y,next:h}})]);return{total:f.data[0],groups:p.parts.flat(),hasMore:p.hasMore,by:i}},[e.hasAdmin,n,o,r,i,s])}function Hu(e){let{net:t}=te(e),s=ir(e);if(t<0)return`Spent ${k(-t)} more than was saved`;let n=s===null?"":`, ${C(s,1)} of what it would have cost`;return`Saved ${k(t)}${n}`}function ju({total:e}){let{net:t,unknown:s}=te(e);return a`
    <dl class="figure-grid card">
      <${I} label="Saved, net" value=${k(t)}
        note=${s>0?`${$(s)} with an unknown price`:""} />
      <${I}
        label="Cost"
        value=${W(e)}
        note=${e.unpriced_requests>0?`${$(e.unpriced_requests)} with an unknown price`:""}
      />
      <${I} label="Requests" value=${$(e.requests)} />
      <${I}
        label="Cached input"
        value=${C(e.cached_input_tokens,e.input_tokens)}
        note=${`of ${E(e.input_tokens)} tokens`}
      />
    </dl>
  `}var Pr={};ve(Pr,{default:()=>Ir});var qt=[["hour","hour"],["day","day"],["week","week"],["month","month"],["total","whole life"]],Se=[["requests_per_minute","Requests per minute","requests/min"],["tokens_per_minute","Tokens per minute","tokens/min"],["concurrent","Concurrent requests","concurrent"],["requests_per_hour","Requests per hour","requests/h"],["tokens_per_hour","Tokens per hour","tokens/h"],["requests_per_day","Requests per day","requests/day"],["tokens_per_day","Tokens per day","tokens/day"],...["Searches","Images","Characters","Seconds"].flatMap(e=>{let t=e.toLowerCase();return[[`${t}_per_minute`,`${e} per minute`,`${t}/min`],[`${t}_per_day`,`${e} per day`,`${t}/day`]]})],Mt=3;function ge(e){let{models:t,limits:s,budget:n,expires:o}=e??{};return{name:e?.name??"",models:(t??[]).join(`
`),...Object.fromEntries(Se.map(([r])=>[r,String(s?.[r]??"")])),usd:String(n?.usd??""),per:n?.per??"month",unknownPrices:n?.unknown_prices,expires:o==null?"":new Date(o*1e3).toISOString().slice(0,10),...Object.fromEntries(hr.map(r=>[r,e?.[r]??""]))}}var hr=["owner","team","note"];function gr(e){let t=Object.entries(ds(e)).filter(([,s])=>s!==null);return{name:e.name.trim(),...Object.fromEntries(t)}}function At(e,t){let s=ds(ge(t));return Object.fromEntries(Object.entries(ds(e)).filter(([n,o])=>JSON.stringify(o)!==JSON.stringify(s[n])))}function ds(e){let t=e.models.split(/[\n,]/).map(n=>n.trim()).filter(n=>n!==""),s=Se.filter(([n])=>e[n].trim()!=="");return{models:t.length===0?null:t,limits:s.length===0?null:Object.fromEntries(s.map(([n])=>[n,br(e[n])])),budget:e.usd.trim()===""?null:Ku(e),expires:e.expires===""?null:e.expires,...Object.fromEntries(hr.map(n=>[n,e[n].trim()||null]))}}function Ku({usd:e,per:t,unknownPrices:s}){let n={usd:br(e),per:t};return s===void 0?n:{...n,unknown_prices:s}}function br(e){let t=Number(e);return Number.isFinite(t)?t:e}function De(e){return Se.flatMap(([t,,s])=>e?.[t]==null?[]:[`${$(e[t])} ${s}`])}function se({usd:e,per:t}){let s=t==="total"?"in total":t==="hour"?"an hour":`a ${t}`;return`${k(e)} ${s}`}function vr(e,{origin:t,hasKey:s}){let{budget:n,expires:o,key:r,models:i,name:u,owner:l}=e,d=[`It may use ${i===null?"all models":i.join(", ")}`,n===null?"":`, up to ${se(n)}`,o===null?"":`, until ${new Date(o*1e3).toISOString().slice(0,10)}`];return[...l===null?[]:[`Hello ${l},`],`your key "${u}" for our model gateway is ready. ${d.join("")}.`,`Address: ${t}/v1`,`Usage and budget: ${t}/ (sign in with the key)`,s?`Key: ${r}`:"The key itself follows separately."].join(`
`)}function yr({status:e,previous_valid_until:t},s){return e==="active"&&t!=null&&t*1e3>s?t:void 0}function Rt({fields:e,onChange:t,isNew:s,knownTeams:n=[]}){let o=l=>d=>t({...e,[l]:d.target.value}),r=(l,d)=>a`
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
    `,[i]=_(()=>Se.slice(Mt).some(([l])=>e[l]!=="")),u=(l,d,c=[])=>a`
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
          ${qt.map(([l,d])=>a`<option key=${l} value=${l}>${d}</option>`)}
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
        ${Se.slice(0,Mt).map(([l,d])=>r(l,d))}
      </div>
      <details class="more-limits" open=${i}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${Se.slice(Mt).map(([l,d])=>r(l,d))}
        </div>
      </details>
    </fieldset>
  `}function Oe(e){let[t,s]=_({isBusy:!1,error:void 0});return{...t,start:async o=>{if(o.preventDefault(),!t.isBusy){s({isBusy:!0,error:void 0});try{await e(),s({isBusy:!1,error:void 0})}catch(r){s({isBusy:!1,error:r})}}}}}function be({id:e}){return`/v1/admin/keys/${encodeURIComponent(e)}`}function kr({entry:e,onChanged:t,onClose:s}){let[n,o]=_(()=>ge(e)),{isBusy:r,error:i,start:u}=Oe(async()=>{let l=At(n,e);Object.keys(l).length>0&&(await O(be(e),{method:"PATCH",body:l}),t()),s()});return a`
    <${H} title=${`Edit ${e.name}`} onClose=${s}>
      <form class="stack" onSubmit=${u}>
        <${Rt} fields=${n} onChange=${o} isNew=${!1} />
        <${T} error=${i} title="Not changed" />
        <${fs} text="Save" isBusy=${r} onClose=${s} />
      </form>
      <//>
  `}function wr({entry:e,onChanged:t,onClose:s}){let[n,o]=_("1h"),[r,i]=_(void 0),{isBusy:u,error:l,start:d}=Oe(async()=>{let c={overlap:n.trim()||"0s"};i(await O(`${be(e)}/rotate`,{body:c})),t()});return r!==void 0?a`<${Wu} entry=${r} onClose=${s} />`:a`
    <${H} title=${`Rotate ${e.name}`} onClose=${s} class="narrow">
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
        <${fs} text="Rotate" isBusy=${u} onClose=${s} />
      </form>
      <//>
  `}function _r({entry:e,onChanged:t,onClose:s}){let{isBusy:n,error:o,start:r}=Oe(async()=>{await O(be(e),{method:"DELETE"}),t(),s()});return a`
    <${H} title=${`Revoke ${e.name}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${r}>
        <p>
          Requests with the key <strong class="wrap-anywhere">${e.name}</strong> are refused from
          now on. This cannot be undone. Its name stays taken, and its usage is kept.
        </p>
        <${T} error=${o} title="Not revoked" />
        <${fs} text="Revoke key" isBusy=${n} onClose=${s} tone="destructive" />
      </form>
      <//>
  `}function fs({text:e,isBusy:t,onClose:s,tone:n=""}){return a`
    <div class="row end">
      <button type="button" onClick=${s}>Cancel</button>
      <button type="submit" class=${`primary ${n}`} disabled=${t}>${e}</button>
    </div>
  `}function Wu({entry:e,onClose:t}){return a`
    <${H} title=${`The key ${e.name}`} onClose=${t} class="narrow" isHeld=${!0}>
      <div class="stack">
        <p>Copy the key now. It is not stored and cannot be shown again.</p>
        <div class="row key-text">
          <code class="wrap-anywhere" data-secret="key">${e.key}</code>
          <${Q} text=${e.key} label="Copy" class="primary" />
        </div>
        <div class="row end">
          <button type="button" onClick=${t}>I have copied it</button>
        </div>
      </div>
      <//>
  `}var Et=.9,Gu=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeZone:"UTC"}),Xu=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeStyle:"short",timeZone:"UTC"});function et({limit_usd:e,spent_usd:t,...s}){let n=e>0?t/e:1,o=n>=1?"bad":n>=Et?"warn":"good",{forecast_usd:r,renews_at:i,unpriced_requests:u}=s,l=[i&&`renews ${Sr(i)}`,r!==null&&t>0&&`at this rate ${k(r)}${r>e?", more than the budget":""}`,u>0&&`${$(u)} requests of an unknown price`].filter(d=>d);return{tone:o,share:n,notes:l}}function Lt({budget:e,status:t,usage:s}){if(e===null||!s?.budget||t==="revoked")return;let{limit_usd:n,spent_usd:o}=s.budget;return n>0?o/n:1}function ps(e){return(Lt(e)??0)>=Et}function xr(e){let t=e.filter(({status:l})=>l!=="revoked"),s=t.filter(ps),n=t.filter(l=>(Lt(l)??0)>=1),o=`${$(t.length)} ${t.length===1?"key":"keys"}`,r=s.length===0?t.some(({budget:l})=>l!==null)?`No key is over ${100*Et} % of its budget`:`${o}, none with a budget`:`${$(s.length)} of ${o} ${s.length===1?"is":"are"} over ${100*Et} % of ${s.length===1?"its budget":"their budgets"}`,i=n[0]?.usage.budget.renews_at,u=n.length===0?s.length===0&&t.length>0?`${o} in total.`:"":`${n.length===1?"It has":`${$(n.length)} have`} used it up and ${n.length===1?"is":"are"} refused with 429${n.length===1&&i?` until ${Sr(i)}`:""}.`;return{title:r,text:u,used:n.length===1?n[0]:void 0}}function Sr(e){let t=new Date(e);return e.includes("T00:00:00")?Gu.format(t):`${Xu.format(t)} UTC`}function $s(e){let t=s=>e.reduce((n,o)=>n+o[s],0);return`${e.length} days: ${$(t("requests"))} requests, ${k(t("cost_usd"))}`}function Nt({budget:e,spending:t}){if(!t)return a`${se(e)}`;let{tone:s,notes:n,share:o}=et(t),{forecast_usd:r,limit_usd:i,spent_usd:u}=t,l=[`${k(u)} of ${se(e)}`,...n].join(", "),d=r!==null&&r>i;return a`
    <span class="budget" title=${l}>
      <span
        class=${`meter ${s}`}
        role="meter"
        aria-label=${`Spent of ${se(e)}`}
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
      <span class="limit soft">of ${se(e)}</span>
    </span>
  `}var Or=new Map([["expired","warn"],["disabled","bad"]]);function tt({id:e}){return`#/keys/${encodeURIComponent(e)}`}function ms({entry:e}){let{reason:t,status:s}=e,n=yr(e,Date.now());return a`
    <span class=${Or.has(s)?`badge ${Or.get(s)}`:"soft"} title=${t??""}
    >${s}</span>
    ${n&&a`
      <span class="small soft"> the text before is valid until ${new Date(n*1e3).toLocaleTimeString("en-GB")}</span>
    `}
  `}var Vu=({usage:e})=>e?.days.reduce((t,{requests:s})=>t+s,0),Ju=[{id:"name",title:"Key",of:({name:e})=>e,isRisingFirst:!0,card:"a"},{id:"team",title:"Team",of:({team:e})=>e,isRisingFirst:!0,panel:"low"},{id:"owner",title:"Owner",of:({owner:e})=>e,isRisingFirst:!0,panel:"low"},{id:"share",title:"Of the budget",of:Lt,card:"c",hint:"Spent in the current period; an arrow means that the forecast passes the budget",cell:({budget:e,usage:t})=>e&&a`<${Nt} budget=${e} spending=${t?.budget} />`},{id:"spent",title:"Spent",isNumber:!0,card:"b",of:({usage:e})=>e?.budget?.spent_usd,text:k},{id:"used",title:"Last used",card:"d",hint:"The last day in UTC with a request, of the last 30 days",of:({usage:e})=>e?.last_used},{id:"requests",title:"Requests, 30 d",of:Vu,text:$,isNumber:!0},{id:"limits",title:"Limits",isProse:!0,of:({limits:e})=>De(e).join(", ")},{id:"status",title:"Status",of:({status:e})=>e,cell:e=>a`<${ms} entry=${e} />`},{id:"created",title:"Created",of:({created:e})=>e??"config.yaml",text:e=>typeof e=="number"?Ge(e):a`<code>config.yaml</code>`},{id:"prefix",title:"Begins with",of:({prefix:e})=>e,isRisingFirst:!0,text:e=>a`<code>${e}…</code>`}];function Fe({source:e,status:t}){return e==="store"&&t!=="revoked"}function Tr({keys:e,marks:t,onAction:s}){return a`
    <${U} label="Keys" columns=${Ju} rows=${e} idOf=${({id:o})=>o}
      hrefOf=${tt} actionsOf=${o=>[{text:"Open",href:tt(o)},{text:"Requests",href:`#/requests?${new URLSearchParams({key:o.name})}`},{text:"Copy name",copy:o.name},...Fe(o)?[{text:"Edit",run:()=>s("edit",o)},{text:"Rotate",run:()=>s("rotate",o)},{text:"Revoke",run:()=>s("revoke",o),isDanger:!0}]:[]]} order=${{id:"share",isRising:!1}}
      marks=${t} classOf=${({status:o})=>o==="revoked"?"revoked":""} />
  `}function qr({keys:e,onAction:t,onClear:s}){let n=e.reduce((i,{usage:u})=>i+(u?.budget?.spent_usd??0),0),o=e.some(Fe),r=(i,u,l="")=>a`
      <button type="button" class=${`small ${l}`} disabled=${!o}
        onClick=${()=>t(i)}>${u}</button>
    `;return a`
    <div class="row bulk" role="status">
      <span><strong>${$(e.length)} selected</strong>, ${k(n)} spent together</span>
      ${r("budget","Change budget")} ${r("team","Change team")}
      ${r("revoke","Revoke","danger")}
      <button type="button" class="quiet small" onClick=${s}>Clear</button>
    </div>
  `}var Cr={budget:"Change the budget",team:"Change the team",revoke:"Revoke"};function Mr({kind:e,keys:t,onChanged:s,onClose:n}){let o=t.filter(Fe),[r,i]=_({usd:"",per:"month",team:""}),[u,l]=_(0),d=y=>h=>i({...r,[y]:h.target.value}),{isBusy:c,error:f,start:p}=Oe(async()=>{try{for(let[y,h]of o.slice(u).entries())await Yu(e,h,r),l(u+y+1)}finally{s()}n()}),m=t.length-o.length;return a`
    <${H} title=${`${Cr[e]} of ${$(o.length)} keys`} onClose=${n}
      class="narrow">
      <form class="stack" onSubmit=${p}>
        <p class="wrap-anywhere">${o.slice(0,8).map(({name:y})=>y).join(", ")}${o.length>8?`, and ${$(o.length-8)} more`:""}</p>
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
        ${e==="budget"&&a`<${Zu} fields=${r} set=${d} />`}
        <${T} error=${f}
          title=${`${$(u)} of ${$(o.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class=${`primary ${e==="revoke"?"destructive":""}`}
            disabled=${c||o.length===0}
          >${c?`${$(u)} of ${$(o.length)}`:Cr[e]}</button>
        </div>
      </form>
      <//>
  `}function Zu({fields:e,set:t}){return a`
    <div class="two-fields">
      <div class="field">
        <label for="bulk-usd">US dollars</label>
        <input id="bulk-usd" type="text" inputmode="decimal" placeholder="None"
          value=${e.usd} onInput=${t("usd")} />
      </div>
      <div class="field">
        <label for="bulk-per">per</label>
        <select id="bulk-per" value=${e.per} onChange=${t("per")}>
          ${qt.map(([s,n])=>a`<option key=${s} value=${s}>${n}</option>`)}
        </select>
      </div>
    </div>
  `}async function Yu(e,t,{team:s,usd:n,per:o}){if(e==="revoke")return await O(be(t),{method:"DELETE"});let r=e==="team"?{team:s}:{usd:n,per:o},i=At({...ge(t),...r},t);if(Object.keys(i).length!==0)return await O(be(t),{method:"PATCH",body:i})}var Qu="The key is not shown again.",zu="What you have typed is lost.";function Ar({onCreated:e,teams:t}){let[s,n]=_(ge),[o,r]=_(void 0),i=JSON.stringify(s)!==JSON.stringify(ge()),{isBusy:u,error:l,start:d}=Oe(async()=>{r(await O("/v1/admin/keys",{body:gr(s)})),e()});if(o!==void 0)return a`<${el} entry=${o} />`;let c=f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&d(f)};return a`
    <${st} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${i&&a`<${Rr} text=${zu} />`}
    <form class="stack key-page" onSubmit=${d} onKeyDown=${c}>
      <${Rt} fields=${s} onChange=${n} isNew=${!0} knownTeams=${t} />
      <${T} error=${l} title="Not created" />
      <div class="row">
        <button type="submit" class="primary" disabled=${u}>Create key</button>
        <a class="button" href="#/keys">Cancel</a>
        <span class="small soft">Ctrl Enter</span>
      </div>
    </form>
  `}function st({text:e}){return a`
    <nav class="crumb small" aria-label="Position">
      <a href="#/keys">Keys</a> <span class="soft">/</span> <span>${e}</span>
    </nav>
  `}function Rr({text:e}){let[t,s]=_(void 0),n=D(()=>{});return B(()=>{n.current=Hs(s);let r=i=>i.preventDefault();return addEventListener("beforeunload",r),()=>{n.current(),removeEventListener("beforeunload",r)}},[]),t===void 0?null:a`
    <${H} title="Leave this page?" onClose=${()=>s(void 0)} class="narrow"
      isHeld=${!0}>
      <p>${e}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${()=>s(void 0)}>Stay</button>
        <button type="button" class="danger" onClick=${()=>{n.current(),location.hash=t}}>Leave</button>
      </div>
      <//>
  `}function el({entry:e}){let{expires:t,key:s,limits:n,models:o,name:r,note:i,owner:u,team:l}=e,d=[["Team",l],["Owner",u],["Note",i],["Models",o===null?"all":o.join(", ")],["Budget",e.budget===null?"none":se(e.budget)],["Limits",De(n).join(", ")||"default"],["Expires",t===null?"never":new Date(t*1e3).toISOString().slice(0,10)]].filter(([,p])=>p!==null),[c,f]=_(!1);return B(()=>{c&&(location.hash="#/keys")},[c]),a`
    ${!c&&a`<${Rr} text=${Qu} />`}
    <${st} text=${r} />
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
            <${Q} text=${s} label="Copy key" class="primary" />
          </div>
        </section>
        <${tl} keyText=${s} />
        <${nl} entry=${e} />
      </div>
      <aside class="stack wide">
        <section class="card stack padded">
          <h2>What it may</h2>
          <${oe} facts=${d} class="key-facts" />
        </section>
        <button type="button" class="primary" onClick=${()=>f(!0)}>I have copied it</button>
        <p class="small soft">This page closes only here. Back and links ask first.</p>
      </aside>
    </div>
  `}function tl({keyText:e}){let[t,s]=_(""),n=new URLSearchParams({os:Er(),origin:location.origin}),{data:o,error:r}=N(u=>O(`/v1/clients?${n}`,{key:e,signal:u}),[e]),i=o?.data.find(u=>u.id===t)??o?.data[0];return a`
    <section class="stack" aria-label="Settings of the client">
      <h2>2. Settings of the client</h2>
      <${T} error=${r} title="The settings cannot be shown" />
      ${o?.data.length===0&&a`
        <p class="soft">The key may use no model that answers chats.</p>
      `}
      ${i!==void 0&&a`
        <label class="row">Client
          <select value=${i.id} onChange=${u=>s(u.target.value)}>
            ${o.data.map(u=>a`<option key=${u.id} value=${u.id}>${u.title}</option>`)}
          </select>
        </label>
        ${sl(i,e).map(({title:u,text:l})=>a`
            <div key=${u} class="stack">
              <div class="row spread"><code>${u}</code>
                <${Q} text=${l} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${u}>${l}</pre>
            </div>
          `)}
      `}
    </section>
  `}function sl({files:e,steps:t},s){let n="SLUICE_API_KEY";return[{title:"Key in the environment",text:Er()==="windows"?`setx ${n} ${s}`:`export ${n}=${s}`},...e.map(({path:i,text:u})=>({title:i,text:u})),...t.length===0?[]:[{title:"Steps",text:t.join(`
`)}]]}function Er(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function nl({entry:e}){let[t,s]=_(!1),n=vr(e,{origin:location.origin,hasKey:t});return a`
    <section class="stack" aria-label="A message to send">
      <div class="row spread">
        <h2>3. A message to send</h2>
        <label class="check">
          <input type="checkbox" checked=${t} onChange=${()=>s(!t)} />
          with the key in it
        </label>
        <${Q} text=${n} label="Copy message" class="small" />
      </div>
      <pre class="code-box" tabindex="0" aria-label="Message">${n}</pre>
    </section>
  `}function Lr({id:e,version:t,onAction:s}){let{data:n,error:o}=N(c=>O(be({id:e}),{signal:c}),[e,t]);if(!n)return a`
      <${st} text=${e} />
      <h1>Key</h1>
      <${T} error=${o} title="The key cannot be shown" />
      ${!o&&a`<${R} text="Loading the key" />`}
    `;let{budget:r,name:i,usage:u}=n,l=u?.days??[],d=c=>new URLSearchParams({[c]:i});return a`
    <${st} text=${i} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${ol(n)}</h1>
        <p class="soft"><${ms} entry=${n} />${u?.last_used?`, last used on ${u.last_used}`:u?", not used in 30 days":""}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/requests?${d("key")}`}>Requests</a>
        <a class="button" href=${`#/usage?${d("key")}`}>Usage</a>
        ${Fe(n)&&[["edit","Edit"],["rotate","Rotate"],["revoke","Revoke"]].map(([c,f])=>a`
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
            <${Nt} budget=${r} spending=${u?.budget} />
            <p class="soft">${u?.budget&&et(u.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${$s(l).replace(/^.*?: /,"")}</p>
          <${rl} days=${l} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${oe} facts=${il(n)} class="key-facts" />
      </aside>
    </div>
  `}function ol({name:e,usage:t}){if(!t?.budget)return e;let{share:s}=et(t.budget);return s>=1?`${e} has used up its budget`:`${e} has spent ${Math.floor(100*s)} % of its budget`}function rl({days:e}){let t=Math.max(1,...e.map(({requests:s})=>s));return a`
    <div class="day-bars" role="img" aria-label=${$s(e)}>
      ${e.map(({cost_usd:s,requests:n},o)=>a`
          <span key=${o} title=${`${$(n)} requests, ${k(s)}`}
            style=${{height:`${100*n/t}%`}}></span>
        `)}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${$(t)} ${t===1?"request":"requests"} a day</span><span>today, UTC</span></div>
  `}function il(e){let{budget:t,created:s,expires:n,limits:o,models:r,note:i,owner:u,prefix:l,source:d,team:c}=e;return[["Team",c],["Owner",u],["Note",i],["Begins with",l&&a`<code>${l}…</code>`],["Models",r===null?"all":r.join(", ")],["Limits",De(o).join(", ")||"default"],["Budget",t===null?"none":se(t)],["Priority",e.priority],["Weight",e.weight],["Created",d==="config"?"in config.yaml":Ge(s)],["Expires",n===null?"never":Ge(n)]].filter(([,f])=>f!=null)}function Ir({route:e}){let{hasAdmin:t}=K();return a`
    <div class="view" data-view="keys">
      ${t?a`<${ll} path=${e.path} query=${e.query} />`:a`
        <${ee} title="Keys" />
        <${at} what="Managing keys needs an admin key." />
      `}
    </div>
  `}var ul={edit:kr,rotate:wr,revoke:_r};function ll({path:[e],query:t}){let[s,n]=_(!1),[o,r]=_(null),[i,u]=_(0),l=N(m=>it({revoked:s,usage:!0},m),[s,i]),d=()=>u(m=>m+1),c=(m,y)=>r({type:m,entry:y}),f=V(()=>cl(l.data??[],"team"),[l.data]),p=o&&ul[o.type];return a`
    ${e==="new"?a`<${Ar} onCreated=${d} teams=${f} />`:e!==void 0?a`<${Lr} id=${e} version=${i} onAction=${c} />`:a`
        <${dl} ...${l} search=${t.get("search")??""} onAction=${c}
          onChanged=${d} showsRevoked=${s} onRevoked=${n} />
      `}
    ${o&&a`
      <${p} entry=${o.entry} onChanged=${d}
        onClose=${()=>r(null)} />
    `}
  `}function cl(e,t){return[...new Set(e.map(s=>s[t]).filter(s=>s))].sort()}var Nr=[["all","All",()=>!0],["near","Over 90 %",ps],["unused","Not used in 30 d",({status:e,usage:t})=>e==="active"&&!t?.last_used]];function dl(e){let{data:t,error:s,isLoading:n,showsRevoked:o,onRevoked:r,onAction:i,onChanged:u}=e,[l,d]=_(e.search),[c,f]=_("all"),[p,m]=_(()=>new Set),[y,h]=_(void 0),b=s?.code==="store_required",[,,v]=Nr.find(([A])=>A===c),w=ml(l),g=V(()=>(t??[]).filter(A=>v(A)&&$l(A,w)),[t,c,w]),x=e.search.startsWith("sk-")&&l===e.search&&g.length===1?tt(g[0]):void 0;B(()=>x&&location.replace(x),[x]);let M=g.filter(({id:A})=>p.has(A)),X={ids:p,onToggle:A=>m(new Set(p.has(A)?[...p].filter(ne=>ne!==A):[...p,A])),onAll:A=>m(new Set(A?g.map(({id:ne})=>ne):[]))};return a`
    <${fl} keys=${t}>
      <label class="check">
        <input type="checkbox" aria-keyshortcuts="Alt+Shift+V" checked=${o}
          onChange=${A=>r(A.target.checked)} />
        Show revoked keys
      </label>
      ${b?null:a`
        <a class="button primary" aria-keyshortcuts="Alt+Shift+N" href="#/keys/new">
          <${ce} name="add" /> Create key
        </a>
      `}
    <//>
    ${b?a`
        <div class="card empty">
          <p>${s.message}</p>
        </div>
      `:a`<${T} error=${s} title="The keys cannot be listed" />`}
    ${!t&&!s&&a`<${R} text="Loading the keys" />`}
    ${t&&a`
      <div class="row">
        <${de} label="Which keys" value=${c} onChange=${f}
          options=${Nr.map(([A,ne,nt])=>[A,`${ne} ${$(t.filter(nt).length)}`])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${!1}
          placeholder="Name, team, owner, note, or a key" value=${l}
          onInput=${A=>d(A.target.value)} />
      </div>
      ${M.length>0&&a`
        <${qr} keys=${M} onAction=${h} onClear=${()=>m(new Set)} />
      `}
      ${g.length===0?a`<div class="card empty" role="status">${pl(t,w)}</div>`:a`
          <div class=${n?"stale":""}>
            <${Tr} keys=${g} marks=${X} onAction=${i} />
          </div>
        `}
    `}
    ${y&&a`
      <${Mr} kind=${y} keys=${M} onChanged=${u}
        onClose=${()=>h(void 0)} />
    `}
  `}function fl({keys:e,children:t}){let{title:s,text:n,used:o}=e?xr(e):{title:"Keys",text:""};return a`
    <header class="view-head">
      <div class="view-title">
        <h1>${s}</h1>
        <p class="soft">${o&&a`
          <a class="wrap-anywhere" href=${tt(o)}>${o.name}</a>:
        `}${n}</p>
      </div>
      <div class="view-tools">${t}</div>
    </header>
  `}function pl(e,t){return t!==""?"No key has this text in its name, team, owner or note, or begins with it.":e.length===0?"No keys yet. Create one for each application or team.":"No key is like that."}function $l({name:e,note:t,owner:s,prefix:n,team:o},r){let i=r.toLowerCase();return[e,t,s,n,o].some(u=>u?.toLowerCase().includes(i))}function ml(e){let t=e.trim();return t.startsWith("sk-")?t.slice(0,18):t}export{Pr as keys,sn as overview,Bn as requests,mr as savings,Vn as sessions,uo as status,or as usage};
