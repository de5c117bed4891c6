import{b as ut,f as Ks}from"./shared3.js";import{B as Is,H as $e,I as Z,J as je,K as Ns,L as Ke,M as U,N as Dt,P as Ft,Q as Ps,R as Ds,S as Fs,T as Us,U as Bs,V as Hs,W as lt,Z as js,a as W,b as Nt,c as ke,d as Ms,e as I,f as F,g as ot,h as ee,i as rt,j as N,k as Ce,l as Pt,m as Ue,n as As,o as pe,p as Rs,q as Be,r as re,s as Es,t as He,u as it,v as we,w as q,x as at,y as Ls}from"./shared2.js";import{$ as Ss,A as It,D as T,E as oe,F as vs,G as Q,H,I as de,J as ye,K as R,L as ys,M as $,N as E,O as x,P as k,Q as ks,R as C,S as De,T as ws,W as _s,Y as Fe,_ as xs,a as ve,aa as Os,c as _,d as B,e as gs,ea as j,f as D,g as V,ha as Oe,i as a,ia as Ts,j as P,ja as K,ka as fe,la as z,qa as st,ra as Cs,sa as nt,ta as qs,u as bs,v as O,wa as Te,y as ce}from"./shared1.js";var en={};ve(en,{default:()=>zs});function Ut(e){let t=new Map;for(let s of e)for(let[n,o,r]of s){let[i,l]=t.get(n)??[0,0];t.set(n,[i+o,l+r])}return t}function Bt(e,t,s,n=1){let o=Math.floor(t/s),r=[],i=[];for(let l=0;l<288;l++){let[u,d]=e.get((o-288+1+l)*s)??[0,0];if(u===0&&i.push(`M${l} 95h1v5h-1z`),d===0)continue;let c=Math.min(1,d/u/n),f=Math.round(Math.max(12,100*c));r.push(`M${l} ${100-f}h.8v${f}h-.8z`)}return{failed:r.join(""),quiet:i.join("")}}function Ws(e){let t=0;for(let[s,n]of e.values())t=Math.max(t,s===0?0:n/s);return[.02,.04,.1,.2,.5].find(s=>t<=s)??1}function Ht(e,t,s){let o=1-((Math.floor(t/s)+1)*s-e)/(288*s);return o<0?void 0:100*o}var Nr=6,jt=36e5;function Js({health:e}){let{cell_ms:t,changes:s,reading:n,since:o,targets:r}=e,i=Date.parse(e.at),l=Ut(r.map(({cells:c})=>c)),u=Ws(l),d=Date.parse(o);return a`
    <section class="stack" aria-labelledby="strip-title">
      <div class="section-head">
        <h2 id="strip-title">Share of failed attempts, 24 h</h2>
        <span class="faint small">
          5 min a cell, this process${Ur(d,i,n)}
        </span>
        <span class="strip-keys small faint">
          <span class="key config">config</span><span class="key keys">keys</span>
          <span class="key failed">failed</span><span class="key quiet">no traffic</span>
        </span>
      </div>
      <div class="strips">
        <div class="strip-name">All targets</div>
        <${Gs}
          class="tall"
          label=${`All targets: ${Xs(l)}`}
          paths=${Bt(l,i,t,u)}
          top=${u}
        >
          ${s.map(({kind:c,text:f,time:p},m)=>a`
              <${Dr} key=${m} kind=${c} text=${`${f}, ${pe(p,i)}`}
                at=${Ht(Date.parse(p),i,t)} />
            `)}
        <//>
        <div class="strip-end"></div>
        ${Pr(r).map(({name:c,own:f,worst:p})=>{let m=Ut(f.map(({cells:g})=>g)),b=Vs(f.map(g=>g.recent));return a`
            <div class="strip-name" key=${c}>
              <a class="clip" href="#/status" title=${c}>${c}</a>
              <${Te} state=${p.state} isShort=${!0} />
            </div>
            <${Gs} key=${`${c} strip`} label=${`${c}: ${Xs(m)}`}
              paths=${Bt(m,i,t)} />
            <div class="strip-end small" key=${`${c} now`}>${b.attempts===0?"no traffic":`${C(b.failures,b.attempts)} now`}</div>
          `})}
        <div class="strip-name"></div>
        <${Fr} end=${i} cellMs=${t} />
        <div class="strip-end"></div>
      </div>
    </section>
  `}function Pr(e){return[...new Set(Ue(e).map(({provider:s})=>s))].slice(0,Nr).map(s=>{let n=e.filter(({provider:o})=>o===s);return{name:s,own:n,worst:Ue(n)[0]}})}function Gs({children:e,class:t="",label:s,paths:{failed:n,quiet:o},top:r}){return a`
    <div class=${`strip ${t}`} role="img" aria-label=${s}>
      ${r!==void 0&&a`<span class="strip-top">${C(r,1)}</span>`}
      <svg viewBox="0 0 288 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="quiet" d=${o} />
        <path d=${n} />
      </svg>
      ${e}
    </div>
  `}function Dr({kind:e,text:t,at:s}){return s===void 0?null:a`
    <span class=${`strip-mark ${e}`} style=${{left:`${s}%`}} title=${t}>
      <span class="only-read">${t}</span>
    </span>
  `}function Fr({end:e,cellMs:t}){let s=[];for(let n=e-e%(6*jt);s.length<4;n-=6*jt)s.unshift(n);return a`
    <div class="strip-axis small faint" aria-hidden="true">
      ${s.map(n=>{let o=Ht(n,e,t);return o!==void 0&&o>3&&o<88&&a`
          <span key=${n} style=${{left:`${o}%`}}>${pe(new Date(n).toISOString(),e).slice(-5)}</span>
        `})}
      <span class="now">now</span>
    </div>
  `}function Ur(e,t,s){return s?"; the ledger is still being read":t-e<23*jt?`, begins at ${pe(new Date(e).toISOString(),t)}`:", from the ledger"}function Xs(e){let{attempts:t,failures:s}=Vs([...e.values()].map(([n,o])=>({attempts:n,failures:o})));return`${s} of ${t} attempts failed in 24 hours`}function Vs(e){return e.reduce((t,{attempts:s,failures:n})=>({attempts:t.attempts+s,failures:t.failures+n}),{attempts:0,failures:0})}var Br=5e3,Hr=6e4,Ys=6e5,Qs=5;function zs(){let{hasAdmin:e}=W();return e?a`<${jr} />`:a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        <${rt} what="The overview is about all keys: it needs an admin key." />
      </div>
    `}function Zs(e,t){let s=I(e,[]);return ke(s.reload,t),s}function jr(){let{data:e,error:t}=Zs(r=>O("/v1/admin/health",{signal:r}),Br),{data:s}=Zs(Kr,Hr);if(e===void 0)return a`
      <div class="view" data-view="overview">
        <h1>Overview</h1>
        ${t?a`<${T} error=${t} title="No health" />`:a`<${R} text="Reading the health of targets" />`}
      </div>
    `;let{text:n,title:o}=As(e);return a`
    <div class="view overview" data-view="overview">
      <header class="headline">
        <h1>${o}</h1>
        <p class="soft">${n}</p>
      </header>
      <${Wr} health=${e} day=${s} />
      <${Js} health=${e} />
      <div class="two">
        <${Gr} health=${e} />
        <${Jr} day=${s} />
      </div>
    </div>
  `}async function Kr(e){let t=P(),s=new Date(K(t,j())).toISOString(),n=new Date(t-Ys).toISOString(),[o,r,i]=await Promise.all([O(`/v1/admin/request_counts?${new URLSearchParams({from:n})}`,{signal:e}),O(`/v1/admin/usage?from=${encodeURIComponent(s)}&group_by=key,model&limit=1000`,{signal:e}),O(`/v1/admin/usage?from=${encodeURIComponent(s)}`,{signal:e})]);return{counts:o.data,keys:r.data,total:i.data[0]}}function Wr({health:e,day:t}){let s=t?.counts.reduce((r,{requests:i,errors:l})=>({requests:r.requests+i,errors:r.errors+l}),{requests:0,errors:0}),n=e.targets.filter(({recent:r})=>r.attempts>0).toSorted((r,i)=>i.recent.attempts-r.recent.attempts)[0],o=s!==void 0&&s.requests>0&&s.errors/s.requests>=.05;return a`
    <dl class="overview-figures">
      <${ct}
        label="Requests per minute"
        value=${s&&De(s.requests/(Ys/6e4))}
        note="mean of 10 min"
      />
      <${ct}
        label="Failed requests, 10 min"
        value=${s&&C(s.errors,s.requests)}
        note=${s&&`${$(s.errors)} of ${$(s.requests)}`}
        isBad=${o}
        href="#/requests?range=15m&status=error"
      />
      <${ct}
        label="Time to first content"
        value=${n?.first_content_ms==null?"\u2013":x(n.first_content_ms)}
        note=${n?.first_content_ms==null?"no answer in 10 min":`${n.provider}, usually ${x(n.usual_first_content_ms)}`}
        href="#/requests?range=1h&sort=first_token_ms"
      />
      <${ct}
        label="Spent today"
        value=${t&&k(t.total?.cost_usd??0)}
        note=${t&&`${$(t.total?.requests??0)} requests, ${j()}`}
        href="#/requests?range=24h&sort=cost_usd"
      />
    </dl>
  `}function ct({label:e,value:t="\u2026",note:s,isBad:n,href:o}){return a`
    <div>
      <dt>${e}</dt>
      <dd class=${`figure-big${n?" bad":""}`}>
        ${o===void 0?t:a`<a href=${o}>${t}</a>`}
      </dd>
      <dd class="faint small">${s??""}</dd>
    </div>
  `}function Gr({health:e}){let t=Date.parse(e.at),s=Ue(e.targets);return a`
    <section class="stack" aria-labelledby="fails-title">
      <div class="section-head">
        <h2 id="fails-title">What fails</h2>
        <span class="faint small" title=${Os(e.thresholds)}>How it is judged</span>
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
              ${s.slice(0,Qs).map(n=>{let{last_failure:o,provider:r,since:i,state:l,upstream:u}=n;return a`
                  <tr role="row" key=${`${r} ${u}`}>
                    <th scope="row" role="rowheader" title=${`${r} ${u}`}>
                      <span class="clip">${r}</span>
                      <span class="clip faint small">${u}</span>
                    </th>
                    <td role="cell">
                      <${Te} state=${l} />
                    </td>
                    <td role="cell" title=${i}>${i===null?"\u2013":pe(i,t)}</td>
                    <td role="cell" class="evidence">
                      ${o===null?Fe(n,t):a`
                        <a
                          href=${Xr(o)}
                          title=${o.vendor_text??"The last request that failed"}
                        >${Fe(n,t)}</a>
                      `}
                    </td>
                  </tr>
                `})}
            </tbody>
          </table>
        `}
    </section>
  `}function Xr({request:e,request_time:t}){return`#/requests/${encodeURIComponent(e)}?time=${encodeURIComponent(t)}`}function Jr({day:e}){let t=Vr(e?.keys??[]),s=e?.total?.cost_usd??0;return a`
    <section class="stack" aria-labelledby="cost-title">
      <div class="section-head">
        <h2 id="cost-title">What is expensive today</h2>
        <a class="small" href="#/usage?range=last-month&by=team">Last month by team</a>
        <a class="small" href="#/usage?range=24h&by=key">Usage</a>
      </div>
      ${t.length===0?a`<p class="soft">${e?"Nothing has been spent today.":"\u2026"}</p>`:a`
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
              ${t.map(({cost:n,key:o,model:r})=>a`
                  <tr key=${o}>
                    <th scope="row"><span class="clip" title=${o}>${o}</span></th>
                    <td><span class="clip soft" title=${r}>${r}</span></td>
                    <td class="number" title=${`$${n}`}>${ks(n,t[0].cost)}</td>
                    <td class="number">${C(n,s)}</td>
                  </tr>
                `)}
            </tbody>
          </table>
        `}
    </section>
  `}function Vr(e){let t=new Map;for(let{cost_usd:s,key:n,model:o}of e){if(!(s>0))continue;let r=t.get(n)??{key:n??"\u2013",cost:0,most:0,model:""};r.cost+=s,s>r.most&&Object.assign(r,{most:s,model:o??"\u2013"}),t.set(n,r)}return[...t.values()].toSorted((s,n)=>n.cost-s.cost).slice(0,Qs)}var Fn={};ve(Fn,{default:()=>Dn});function tn(e){return e.map((t,s)=>s===0?t:t.slice(t.indexOf(`
`)+1)).join("")}function dt(e,t){Rs(e,t,"text/csv")}var Zr=30*864e5,Yr=1e3;function ft(e){let[t,s]=_({}),n=D(new Set);return{load:async r=>{if(n.current.has(r))return;n.current.add(r);let l={from:new Date(Date.now()-Zr).toISOString(),group_by:r,limit:String(Yr)};try{let{data:u}=await O(F(e,"usage",l)),d=u.flatMap(c=>c[r]??[]);s(c=>({...c,[r]:d}))}catch{n.current.delete(r)}},of:r=>t[r]??[]}}var me=new Map([["fallback","Fallback"],["retry","Retry"],["hedge","Hedge"],["cache","Cache"],["queued","Queued"],["sticky","Sticky"]]),Qr=new Map([["status","status"],["key","key"],["model","model"],["provider","provider"],["tag","tag"],["user","end_user"],["end_user","end_user"],["session","session"],["path","path"],["id","id"]]),zr=new Map([["cost","min_cost_usd"],["ms","min_ms"],["duration","min_ms"]]),ei=new Set(["key","model","provider","tag","end_user"]),ti=/^\d{1,15}(\.\d{1,9})?$/,si=new Map([["ms",1],["s",1e3],["min",6e4],["m",6e4],["h",36e5]]);function ni(e,t="ms"){let[,s,n=t]=/^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|min|m|h)?$/i.exec(e.trim())??[];if(s!==void 0)return String(Math.round(Number(s)*si.get(n.toLowerCase())))}function sn(e,t,s){let n={...t};for(let[o]of e.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)){let r=oi(n,o.replaceAll('"',""),s);if(r!==void 0)return{fault:r}}return{filters:n}}function oi(e,t,s){let n=/^([a-z_]+)>=?(.*)$/i.exec(t);if(n!==null)return ri(e,n[1].toLowerCase(),n[2]);let[,o="",r=""]=/^([a-z_]+):(.*)$/i.exec(t)??[],i=Qr.get(o.toLowerCase());if(i===void 0&&/^failed$/i.test(t))e.status="error";else if(i===void 0)e.id=t;else{if(r==="")return`'${o}:' needs a value`;if(i==="status")return ii(e,r.toLowerCase());if(i==="path")return ai(e,r.toLowerCase());e[i]=ei.has(i)?li(r,s(i)):r}}function ri(e,t,s){let n=zr.get(t);if(n===void 0)return`'${t}' has no amount: use cost>0.3 or ms>5000`;if(n==="min_cost_usd"){let r=s.replace(/^\$/,"");if(!ti.test(r))return"A cost is a number: cost>0.25";e.min_cost_usd=r;return}let o=ni(s,t==="ms"?"ms":"s");if(o===void 0)return"A duration is a number: ms>1500 or duration>1.5s";e.min_ms=o}function ii(e,t){let s=t==="failed"?"error":t;if(!/^(ok|error|[1-5]\d\d)$/.test(s))return"A status is ok, error, or a number: status:429";e.status=s}function ai(e,t){if(!me.has(t))return`A path is ${[...me.keys()].join(", ")}`;e.path=t}function li(e,t){return e.includes("*")||t.includes(e)?e:/[:=]$/.test(e)?`${e}*`:`*${e}*`}function Kt(e){return Be.filter(t=>e[t]!=="").map(t=>{let s=e[t];return t==="min_ms"?{filter:t,name:"ms",sign:">",value:s}:t==="min_cost_usd"?{filter:t,name:"cost",sign:">",value:s}:{filter:t,name:t==="end_user"?"user":t,sign:":",value:s}})}var ui=["key","model","provider","tag","end_user"],ci=["status:error","status:ok","status:429","cost>","ms>","session:"],di=200;function nn({filters:e,rows:t=[],session:s,opened:n,time:o}){let[r,i]=_(""),[l,u]=_(""),d=D(null),c=ft(s),f=q(e,n,o);B(()=>{i(""),u("")},[f]);let p=w=>location.hash=q(w,n,o),m=ui.filter(w=>w!=="key"||s.hasAdmin),b=w=>[...new Set([...mi(t,w),...c.of(w)])],g=w=>{w.preventDefault();let h=sn(r,e,b);if(h.fault!==void 0)return u(h.fault);u(""),i(""),p(h.filters)},v=w=>{let h=Kt(e).at(-1);w.key==="Backspace"&&r===""&&h!==void 0?p({...e,[h.filter]:""}):w.key==="Escape"&&d.current.blur()},y=({target:{value:w}})=>{i(w);let h=/(?:^|\s)([a-z_]+):\S*$/.exec(w)?.[1]??"",S=h==="user"?"end_user":h;m.includes(S)&&c.load(S)};return a`
    <form class="filter-bar" role="search" aria-label="Filter the requests" onSubmit=${g}>
      <div class="filter-line">
        <${ce} name="search" />
        ${Kt(e).map(w=>a`<${fi} key=${w.filter} word=${w} onRemove=${()=>p({...e,[w.filter]:""})} />`)}
        <input
          ref=${d}
          aria-label="Add a filter"
          aria-keyshortcuts="Alt+Shift+F"
          aria-invalid=${l!==""?"true":void 0}
          aria-describedby="filter-fault"
          autocomplete="off"
          spellcheck=${!1}
          placeholder="Add a filter: status:error, model:, tag:team:, cost>0.3, ms>5000, an ID"
          list="filter-words"
          value=${r}
          onInput=${y}
          onKeyDown=${v}
        />
        <datalist id="filter-words">
          ${$i(r,m,b).map(w=>a`<option key=${w} value=${w} />`)}
        </datalist>
        ${He(e)&&a`
          <a class="button quiet" href=${q({...we(e),sort:e.sort,order:e.order},n,o)}>Clear</a>
        `}
      </div>
      <p class="fault" id="filter-fault" role="status">${l}</p>
      <${pi} filters=${e} onChange=${p} />
    </form>
  `}function fi({word:{name:e,sign:t,value:s},onRemove:n}){let o=`${e}${t}${s}`;return a`
    <span class="chip">
      <span title=${o}>${e}<i>${t}</i><b>${s}</b></span>
      <button type="button" aria-label=${`Remove ${o}`} onClick=${n}>
        <${ce} name="close" size=${10} />
      </button>
    </span>
  `}function pi({filters:e,onChange:t}){let s=[["status","error","Failed"],...[...me].map(([n,o])=>["path",n,o])];return a`
    <div class="quick" role="group" aria-label="Usual filters">
      ${s.map(([n,o,r])=>{let i=e[n]===o;return a`
          <button type="button" key=${o} aria-pressed=${String(i)}
            onClick=${()=>t({...e,[n]:i?"":o})}>
            ${o==="error"&&a`<span class="st failed only" aria-hidden="true"></span>`}
            ${r}
          </button>
        `})}
    </div>
  `}function $i(e,t,s){let[,n,o]=/^(.*?)(\S*)$/s.exec(e),[,r,i]=/^([a-z_]+):(.*)$/.exec(o)??[],l=r==="user"?"end_user":r;return t.includes(l)?s(l).filter(d=>d.includes(i)).sort().slice(0,di).map(d=>`${n}${r}:${/\s/.test(d)?`"${d}"`:d}`):[...ci,...t.map(d=>`${d==="end_user"?"user":d}:`)].filter(d=>d.startsWith(o)).map(d=>n+d)}function mi(e,t){return e.flatMap(s=>t==="tag"?s.tags:s[t]??[])}var _e=[{id:"searches",title:"Searches",text:$},{id:"images",title:"Images",text:$},{id:"characters",title:"Characters spoken",text:$},{id:"seconds",title:"Audio",text:hi}];function pt(e){return _e.filter(({id:t})=>e.some(s=>s?.[t]>0))}function hi(e){if(e<60)return`${Math.round(10*e)/10} s`;let t=Math.round(e);return`${$(Math.floor(t/60))} min ${t%60} s`}var on="abandoned";function Wt({error:e,status:t}){return e!==on&&((e??null)!==null||t>=400)}function gi({attempts:e=[]}){return e.findLast(t=>t.error===null&&t.status<400)}function rn(e){let{attempts:t=[],error:s,queued_ms:n,response_cache:o,status:r}=e,i=n>0?`Waited ${x(n)} in the queue. `:"";if(o==="hit"&&t.length===0){let l=e.saved_usd>0?`, which saved ${k(e.saved_usd)}`:"";return`${i}Answered by the cache${l}.`}return r===499?`${i}The client stopped after ${x(e.ms)}.`:s!==null?i+bi(e):i+vi(e)}function bi({attempts:e=[],error:t,status:s}){let n=`the client got ${s} ${t}`;if(e.length===0)return`No provider was asked: ${n}.`;let o=[...new Set(e.map(({provider:r})=>r))];return e.length===1?`${o[0]} failed with ${e[0].error??t}: ${n}.`:o.length===1?`All ${e.length} attempts at ${o[0]} failed: ${n}.`:`All ${e.length} attempts failed, at ${an(o)}: ${n}.`}function vi(e){let{attempts:t=[]}=e,s=gi(e),n=s?.provider??e.provider??"The target",o=e.first_token_ms??e.ms;if(e.hedged&&s!==void 0){let u=t.find(d=>d!==s&&!Wt(d))?.provider??"the first target";return s.hedge?`${u} was slow; the hedge at ${n} won after ${x(o)}.`:`${n} answered after ${x(o)}; the hedge at ${u} was not used.`}let r=t.filter(Wt);if(r.length===0)return`Answered by ${n} after ${x(o)}.`;let i=[...new Set(r.map(l=>l.provider))];return i.every(l=>l===n)?`${n} answered after ${x(o)}, at attempt ${t.length}.`:`${an(i)} failed (${r[0].error??r[0].status}); ${n} answered after ${x(o)}.`}function an(e){return e.length===1?e[0]:`${e.slice(0,-1).join(", ")} and ${e.at(-1)}`}function ln(e){let{attempts:t=[],first_token_ms:s,ms:n,queued_ms:o}=e,r=t.map(i=>({kind:i.hedge?"hedge":"attempt",tone:i.error===on?"unused":Wt(i)?"bad":"good",start:i.started_ms,length:i.ms,attempt:i})).toSorted((i,l)=>i.start-l.start);return o>0&&r.unshift({kind:"queue",tone:"wait",start:0,length:o}),s!=null&&n>s&&r.push({kind:"stream",tone:"stream",start:s,length:n-s}),r}var yi=1e6,ki=e=>_e.find(({id:t})=>t===e)?.title??e,wi=1e-9;function un(e){let{prices:t}=e;if(t==null)return[];let s=e.cached_input_tokens??0,n=e.cache_write_tokens??0,o=e.reasoning_tokens??0,r=(u,d,c)=>({name:u,amount:d,price:c,usd:d*c/yi}),i=[r("Input",(e.input_tokens??0)-s-n,t.input),r("Input, cached",s,t.cachedInput??t.input),r("Input, written to the cache",n,t.cacheWrite??t.input),r("Output",(e.output_tokens??0)-o,t.output),r("Output, reasoning",o,t.output),...Object.entries(t.units??{}).map(([u,d])=>({name:ki(u),amount:e[u]??0,price:d,unit:u,usd:(e[u]??0)*d}))].filter(({amount:u})=>u>0),l=(e.cost_usd??0)-i.reduce((u,{usd:d})=>u+d,0);return e.cost_usd!=null&&Math.abs(l)>wi&&i.push({name:"Other attempts and rates",amount:null,price:null,usd:l}),i}function cn(e){let t=new Map([["hit","stayed at its target"],["moved","moved to another target"],["new","began here"]]);return[["Alias",e.alias],["Why this target",e.route],["Session",t.get(e.affinity)??e.affinity],["Chosen by price",e.price_ordered&&_i(e.price_order_saved_usd)],["Waited in the queue",e.queued_ms>0&&x(e.queued_ms)],["Response cache",e.response_cache],["Saved",e.saved_usd>0&&k(e.saved_usd)],["Hedge",e.hedged&&`cost ${k(e.hedge_usd??0)}`],["Writing the cache",e.cache_write_usd>0&&k(e.cache_write_usd)],["Service tier",e.prices?.tier],["Prices of long prompts",e.prices?.long&&"yes"],["Agent",e.agent],["Started by agent",e.parent_agent]].filter(([,s])=>s)}function _i(e){return e>0?`saved ${k(e)}`:"yes"}function dn({cost_usd:e,input_tokens:t,output_tokens:s,usage_source:n}){if(n===void 0||n==="none")return"";let o=e===null?"price unknown":k(e);return`${$(t)} + ${$(s)} tokens, ${o}`}var $t=499;function $n({rows:e,filters:t,opened:s,showsKey:n,note:o,onSort:r}){let i={id:t.sort||"time",isRising:t.order==="asc"},l=({id:c,isRising:f})=>r(c==="time"&&!f?{sort:"",order:""}:{sort:c,order:f?"asc":""}),u=V(()=>Si(n),[n,j()]),d=e.find(({id:c})=>c===s);return a`
    <p class=${o===""?"only-read":"hint"} role="status">${o}</p>
    <${U}
      label="Requests"
      columns=${u}
      rows=${e}
      idOf=${fn}
      hrefOf=${c=>q(t,c.id,c.time)}
      actionsOf=${c=>xi(c,t)}
      order=${i}
      onOrder=${l}
      current=${d&&fn(d)}
      hasPanel=${s!==void 0}
      onClose=${s===void 0?void 0:()=>location.hash=q(t)}
    />
  `}function fn({id:e,time:t}){return`${t} ${e}`}function xi(e,t){let s=(n,o)=>e[n]==null?[]:[{text:`All of this ${o}`,href:q({...we(t),[n]:e[n]})}];return[{text:"Open",href:q(t,e.id,e.time)},{text:"Copy ID",copy:e.id},...s("model","model"),...s("provider","provider"),...s("key","key"),...s("session","session")]}function Si(e){return[{id:"time",title:"Time",card:"c",of:({time:t})=>t,cell:Oi},{id:"status",title:"Status",card:"b",of:({status:t})=>t,cell:t=>a`<${We} row=${t} />`},Gt("model","Model",{card:"a"}),Gt("provider","Provider",{panel:"hide"}),...e?[Gt("key","Key",{panel:"hide"})]:[],{id:"path",title:"Path",panel:"low",isRisingFirst:!0,of:({path:t})=>t[0],cell:Ti},{id:"ms",title:"Duration",isNumber:!0,panel:"low",of:({ms:t})=>t,text:x},{id:"first_token_ms",title:"First",hint:"Time to first content",isNumber:!0,panel:"hide",of:t=>t.first_token_ms,text:x},pn("input_tokens","In"),pn("output_tokens","Out"),{id:"attempt_count",title:"Attempts",isNumber:!0,panel:"hide",of:t=>t.attempt_count>1?t.attempt_count:void 0},{id:"cost_usd",title:"Cost",isNumber:!0,card:"d",of:t=>t.cost_usd,cell:Ci}]}function pn(e,t){return{id:e,title:t,hint:`${t==="In"?"Input":"Output"} tokens`,isNumber:!0,panel:"hide",of:s=>Xt(s)?s[e]:void 0,cell:s=>qi(s[e],Xt(s),s.usage_source==="estimated")}}function Xt({usage_source:e}){return e!=="none"}function Oi(e){let t=e.path.map(s=>`, ${s}`).join("");return a`
    <span title=${`${Z(e.time)}, ${e.id}`}>${$e(e.time)}</span>
    <span class="phone-only">, ${x(e.ms)}${t}</span>
  `}function Gt(e,t,s){return{id:e,title:t,isRisingFirst:!0,of:n=>n[e],...s,text:n=>a`<${ye} text=${n} />`}}function Ti({path:e}){return e.map(t=>a`<span key=${t} class="badge">${me.get(t)}</span>`)}function Ci(e){return e.cost_usd==null?Xt(e)?a`<span class="faint">unknown</span>`:"\u2013":a`<span title=${`$${e.cost_usd}`}>${k(e.cost_usd)}</span>`}function We({row:e,isLong:t=!1}){let{error:s,status:n}=e,o=n!==$t&&(n>=400||s!=null),r=n===$t?"stopped":o?"failed":"ok",i=n===$t?"Stopped by the client":s??void 0;return a`
    <span class=${`st ${r}`} title=${i}>${n}</span>
    ${t&&n===$t&&a`<span class="soft small"> stopped by the client</span>`}
    ${t&&o&&s&&a`<span class="error-code small"> ${s}</span>`}
  `}function qi(e,t,s){return t?s?a`<span title="Estimated: the vendor reported no usage">≈ ${$(e)}</span>`:$(e):"\u2013"}var mn=.8,Mi=.1;function hn({row:e}){let t=ln(e),s=Math.max(Mi,e.ms,...t.map(({start:o,length:r})=>o+r)),n=t.filter(({attempt:o})=>o!==void 0);return a`
    <section class="request-timeline" aria-labelledby="timeline-title">
      <h3 id="timeline-title">Timeline</h3>
      <ol>
        ${t.map((o,r)=>o.attempt===void 0?a`
              <${Jt}
                key=${o.kind}
                title=${o.kind==="queue"?"Waited in the queue":"Stream, from the first content"}
                text=${gn(o)}
                start=${o.start}
                length=${o.length}
                total=${s}
                tone=${o.tone}
              />
            `:a`
              <${Ai} key=${r} lane=${o} number=${n.indexOf(o)+1}
                total=${s} />
            `)}
        <${Jt}
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
  `}function Ai({lane:e,number:t,total:s}){let{attempt:n,kind:o,length:r,start:i,tone:l}=e,{provider:u,model:d,status:c,error:f,vendor_text:p}=n,m=dn(n);return a`
    <${Jt}
      title=${a`
        ${t}. <span class="mono wrap-anywhere">${d}</span>
        <span class="soft"> at </span><span class="mono">${u}</span>
        ${o==="hedge"&&a`<span class="soft">, the hedge</span>`}
      `}
      text=${gn(e)}
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
        ${Li(n).map(b=>a`<span key=${b} class="soft wrap-anywhere">${b}</span>`)}
        ${m!==""&&a`<span class="faint">${m}</span>`}
      </p>
      ${p&&a`<blockquote class="vendor-words wrap-anywhere">${p}</blockquote>`}
      <//>
  `}function gn({length:e,start:t}){return t<1?x(e):`${x(e)}, after ${x(t)}`}var Ri=new Map([["other_key","then with another key"],["retry","then again"],["resent","then sent again on a new connection"],["next_target","then the next target"],["continued","then continued by another target"]]),Ei=new Map([["wait_too_long","not again: the wait is too long"],["deadline","not again: the deadline is too near"],["breaker_open","not again: its breaker is open"]]);function Li({cause:e,corrections:t=[],next:s,reason:n,wait_ms:o}){let r=s==="retry"&&o!==null;return[e,...t.map(({fields:i,sent_as:l})=>l===null?`sent again without ${i.join(", ")}`:`sent again with ${i.join(", ")} as ${l}`),n&&(Ei.get(n)??n),o!=null&&!r&&`asked to wait ${x(o)}`,r?`then again after ${x(o)}`:Ri.get(s)].filter(i=>i)}function Jt({title:e,text:t,start:s,length:n,total:o,tone:r,mark:i,children:l}){let u=c=>`${(100*c/o).toFixed(2)}%`,d=Math.max(mn,100*n/o);return a`
    <li>
      <div class="row spread"><span>${e}</span><span class="soft small">${t}</span></div>
      <div class="track" aria-hidden="true">
        <span
          class=${`attempt-bar ${r}`}
          style=${{left:u(Math.min(s,o*(1-mn/100))),width:`${d.toFixed(2)}%`}}
        ></span>
        ${i!=null&&a`<span class="mark" style=${{left:u(i)}}></span>`}
      </div>
      ${l}
    </li>
  `}function yn({id:e,time:t,session:s,filters:n,rows:o=[]}){let r=o.findIndex(f=>f.id===e&&(t===null||f.time===t)),i=t===null?{}:{time:t},l=F(s,`requests/${encodeURIComponent(e)}`,i),{data:u,error:d}=I(f=>O(l,{signal:f}),[l]),c=D(null);return B(()=>c.current.focus(),[]),a`
    <section class="details card" aria-label="Request">
      <header>
        <h2 ref=${c} tabindex="-1">Request</h2>
        <span class="row nowrap">
          <${bn} row=${o[r-1]} filters=${n} icon="up" keys="K"
            label="Newer request" />
          <${bn} row=${r<0?void 0:o[r+1]} filters=${n} icon="down"
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
        ${!u&&!d&&a`<${R} />`}
        ${u&&a`
          <p class="said">${rn(u)}</p>
          <${Ii} row=${u} filters=${n} />
          <${hn} row=${u} />
          <${Ni} row=${u} />
          <${Di} row=${u} />
          <${Bi} row=${u} filters=${n} />
          ${s.hasService&&u.model!==null&&Ui(u)&&a`
            <p>
              <a class="button" href=${`#/playground?${new URLSearchParams({model:u.model})}`}
                title="Its content is not stored">Open its model in the playground</a>
            </p>
          `}
        `}
      </div>
    </section>
  `}function Ii({row:e,filters:t}){return e.path.length===0?null:a`
    <p class="row" aria-label="Path">
      ${e.path.map(s=>a`<a key=${s} class="badge" href=${q({...we(t),path:s})}>${me.get(s)}</a>`)}
    </p>
  `}function Ni({row:e}){let t=un(e);return t.length===0?null:a`
    <section class="stack" aria-labelledby="cost-title">
      <h3 id="cost-title">Cost</h3>
      <${Ce} label="Cost by line" class="cost-lines">
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
                <td class="number">${s===null?"\u2013":Pi(s,r)}</td>
                <td class="number">
                  ${o===null?"\u2013":r===void 0?`${ws(o)} per M`:Is(r,o)}
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
  `}function Pi(e,t){return _e.find(({id:s})=>s===t)?.text(e)??$(e)}function Di({row:e}){let t=cn(e);return t.length===0?null:a`
    <section class="stack" aria-labelledby="route-title">
      <h3 id="route-title">Route</h3>
      <${oe} class="request-facts" facts=${t} />
    </section>
  `}function bn({row:e,filters:t,icon:s,keys:n,label:o}){return e===void 0?null:a`
    <a class="button quiet icon" href=${q(t,e.id,e.time)} aria-label=${o}
      title=${o} aria-keyshortcuts=${`Alt+Shift+${n}`}>
      <${ce} name=${s} />
    </a>
  `}var Fi=new Set(["chat_completions","completions","messages","responses","gemini","ollama"]);function Ui({format:e}){return Fi.has(e)}function Bi({row:e,filters:t}){let s=e.usage_source!=="none",n=(r,i)=>a`
      <${Hi} key=${i} name=${r} value=${i} filters=${t} />
    `,o=[["Ended",Z(e.time)],["Status",a`<${We} isLong=${!0} row=${e} />`],["Model",n("model",e.model)],["Provider",e.provider?n("provider",e.provider):"none"],["Upstream",e.upstream&&a`<code class="wrap-anywhere">${e.upstream}</code>`],["Key",n("key",e.key)],["Tags",e.tags?.length>0&&e.tags.map(r=>n("tag",r))],["End user",e.end_user&&n("end_user",e.end_user)],["Session",e.session&&n("session",e.session)],["API",e.format],["Input",s&&vn(e.input_tokens,[["cached",e.cached_input_tokens],["written to the cache",e.cache_write_tokens]])],["Output",s&&vn(e.output_tokens,[["reasoning",e.reasoning_tokens]])],...pt([e]).map(({id:r,title:i,text:l})=>[i,l(e[r])]),["Usage",ji.get(e.usage_source)??e.usage_source],["Cost",s&&a`<${Pt} value=${e.cost_usd} format=${k} />`],["First token",e.first_token_ms!=null&&x(e.first_token_ms)],["Duration",x(e.ms)]];return a`
    <${oe} class="request-facts" facts=${o.filter(([,r])=>r)} />
  `}function Hi({name:e,value:t,filters:s}){if(t===null)return a`<${Pt} value=${t} />`;let n=q({...we(s),[e]:t});return a`
    <a class="mono wrap-anywhere" href=${n} title="All requests with this value">${t}</a>
  `}var ji=new Map([["vendor","reported by the vendor"],["estimated","estimated, since the vendor reported none"],["none","none"]]);function vn(e,t){let s=t.filter(([,n])=>n>0).map(([n,o])=>`${$(o)} ${n}`);return`${$(e)} tokens${s.length>0?` (${s.join(", ")})`:""}`}function qe(e){let[t,s]=_(0);return gs(()=>{s(Math.floor(e.current.clientWidth));let n=new ResizeObserver(([o])=>s(Math.floor(o.contentRect.width)));return n.observe(e.current),()=>n.disconnect()},[]),t}function kn(e){let[{from:t,to:s,step_seconds:n}]=e,o=n*1e3,r=Date.parse(t),i=[];for(let l=r;l<Date.parse(s);l+=o)i.push({start:l,end:l+o,requests:0,errors:0});for(let{start:l,requests:u,errors:d}of e.flatMap(({data:c})=>c)){let c=i[Math.round((Date.parse(l)-r)/o)];c!==void 0&&(c.requests+=u,c.errors+=d)}return i}function wn(e,t){if(e===null||t.length===0)return null;let[{start:s,end:n}]=t;if(e.step!==n-s)return null;let o=Math.round((s-e.first)/e.step),[r,i]=Ge(e),l=t.length-1;if(i-o<0||r-o>l)return null;let u=d=>Math.min(l,Math.max(0,d-o));return{anchor:u(e.anchor),focus:u(e.focus)}}function Ge({anchor:e,focus:t}){return[Math.min(e,t),Math.max(e,t)]}function _n(e,{key:t,shiftKey:s},n){let o=n-1,r=e?.focus??(t==="ArrowRight"?-1:n),i={ArrowLeft:Math.max(0,r-1),ArrowRight:Math.min(o,r+1),PageUp:Math.max(0,r-10),PageDown:Math.min(o,r+10),Home:0,End:o};if(!Object.hasOwn(i,t)||o<0)return;let l=i[t];return{anchor:s&&e!==null?e.anchor:l,focus:l}}function xn({from:e,to:t},s){let n=t-e,o=Math.min(t+n,s);return{from:o-3*n,to:o}}function Sn(e){if(e<2)return[1,0];let t=10**Math.floor(Math.log10(e)),s=[1,2,4,6,8,10].map(n=>n*t).find(n=>n>=e);return[s,s/2,0]}function On({requests:e,errors:t},s,n){if(e===0||s===0)return{others:0,errors:0};let o=Math.max(2,e/s*n),r=t===0?0:Math.min(o,Math.max(2,t/s*n));return{others:o-r,errors:r}}var Me=64,Ki=366*864e5;function Cn({intervals:e,isComplete:t,isCustom:s,onZoom:n}){let[o,r]=_(null),i=wn(o,e),[{start:l,end:u}]=e,d=v=>r(v&&{...v,first:l,step:u-l}),c=i===null?e:Gi(e,i),f={from:l,to:e.at(-1).end},p=v=>{let[y,w]=Ge(v);d(null),n(e[y].start,e[w].end)},m=()=>{let{from:v,to:y}=xn(f,P());n(v,y)},b=Sn(e.reduce((v,{requests:y})=>Math.max(v,y),0)),g=s&&f.to-f.from<Ki/3;return a`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${Xi(c,i===null,t)}</b> <span class="faint small">${Ns(e[0].end-l)} a bar; drag, or use Shift and arrow
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
        <${Wi}
          axis=${b}
          intervals=${e}
          selection=${i}
          onSelect=${d}
          onZoom=${p}
          onWiden=${g?m:void 0}
        />
        <div class="histogram-times row spread small faint" aria-hidden="true">
          <span>${je(f.from)}</span>
          <span>${je(f.to)}</span>
        </div>
      </div>
    </figure>
  `}function Wi({axis:e,intervals:t,selection:s,onSelect:n,onZoom:o,onWiden:r}){let i=D(null),l=qe(i),u=D(null),d=l/t.length,[c]=e,[f,p]=s===null?[-1,-2]:Ge(s),m=h=>{let S=h.clientX-i.current.getBoundingClientRect().left;return Math.min(t.length-1,Math.max(0,Math.floor(S/d)))};return a`
    <div
      class="histogram-bars"
      ref=${i}
      tabindex="0"
      role="group"
      aria-label="Select a time: arrow keys move, Shift and arrow keys extend, Enter shows only it,
        Escape clears, minus zooms out"
      onPointerDown=${h=>{if(h.button!==0)return;i.current.setPointerCapture(h.pointerId);let S=m(h);u.current={anchor:S,focus:S},n(u.current)}}
      onPointerMove=${h=>{u.current!==null&&(u.current={...u.current,focus:m(h)},n(u.current))}}
      onPointerUp=${()=>{let h=u.current;u.current=null,h!==null&&h.anchor!==h.focus&&o(h)}}
      onPointerCancel=${()=>{u.current=null,n(null)}}
      onKeyDown=${h=>{if(h.ctrlKey||h.metaKey||h.altKey)return;let S=_n(s,h,t.length);if(S!==void 0)n(S);else if(h.key==="Enter"&&s!==null)o(s);else if(h.key==="Escape"&&s!==null)n(null);else if(h.key==="-"&&r!==void 0)r();else return;h.preventDefault(),h.stopPropagation()}}
    >
      <svg width=${l} height=${Me} aria-hidden="true">
        ${f>=0&&a`
          <rect class="hovered" x=${f*d} y="0" width=${(p-f+1)*d}
            height=${Me} />
        `}
        ${e.slice(0,-1).map((h,S)=>a`
            <line key=${h} class="grid-line" x1="0" x2=${l}
              y1=${Me*S/(e.length-1)+.5}
              y2=${Me*S/(e.length-1)+.5} />
          `)}
        <path class="volume" d=${Tn(t,c,d,!1)} />
        <path class="errors" d=${Tn(t,c,d,!0)} />
      </svg>
    </div>
  `}function Tn(e,t,s,n){let o=Math.max(1,s-1);return e.map((r,i)=>{let{errors:l,others:u}=On(r,t,Me),d=n?l:u;if(d===0)return"";let c=Me-l-(n?0:u);return`M${(i*s).toFixed(1)} ${c.toFixed(1)}h${o.toFixed(1)}v${d.toFixed(1)}h${(-o).toFixed(1)}z`}).join("")}function Gi(e,t){let[s,n]=Ge(t);return e.slice(s,n+1)}function Xi(e,t,s){let n=c=>e.reduce((f,p)=>f+p[c],0),[o,r]=[n("requests"),n("errors")],i=o===1?"request":"requests",l=[`${s?"":"\u2265 "}${$(o)} ${i}`,`${$(r)} failed`];if(t)return l.join(", ");let[u,d]=[e[0].start,e.at(-1).end];return`${l.join(", ")} from ${je(u)} to ${je(d)}`}var Ae={rows:void 0,next:null,error:void 0,isLoading:!0,isLoadingMore:!1,isSorting:!1,moreError:void 0};function Vt({data:e,next:t}){return{...Ae,isLoading:!1,rows:e,next:t}}function Zt(e,{data:t,next:s}){let n=[...e.rows,...t];return{...e,isLoadingMore:!1,rows:n,next:s}}function An(e,t){if(e.rows===void 0)return e;let s=new Set(e.rows.map(Mn)),n=t.data.filter(i=>!s.has(Mn(i)));if(n.length===0)return e.moreError?{...e,moreError:void 0}:e;if(n.length===t.data.length&&t.has_more||e.rows.length+n.length>500)return Vt(t);let r=[...n,...e.rows].sort((i,l)=>i.time<l.time?1:i.time>l.time?-1:0);return{...e,rows:r,moreError:void 0}}function Rn(e,{data:t,next:s},{sort:n,order:o},r){let i=o==="asc"?1:-1,l=(d,c)=>{let[f,p]=[qn(d,n),qn(c,n)];return f===p?0:i*(f<p?-1:1)},u=[...e.rows??[],...t].sort(l).slice(0,r);return{...Ae,isLoading:!1,isSorting:s!==null,rows:u}}var Ji=["cache","hedge","fallback","retry","queued","sticky"];function qn(e,t){if(t==="path")return Ji.indexOf(e.path[0]);let s=e[t];return typeof s=="string"?s.replace(/[A-Z]+/g,n=>n.toLowerCase()):s}function Mn({id:e,time:t}){return`${t} ${e}`}var mt=50,Xe=200,Vi=2e3,Zi=1e4,Yi=30,Qi=30,En=50,Ln=1e3,ht=En*Ln;function In(e,t,s){let[n,o]=_(0),[r,i]=_(Ae),l=`${q(t)} ${j()}`,u=[e.hasAdmin,l,n],d=Ms(u),c=D(void 0);B(()=>{let g=new AbortController;c.current=at(t,P(),j()),c.current.set("limit",String(mt)),i(w=>({...w,isLoading:!0}));let{signal:v}=g;return(t.sort===""?zi(e,c.current,v,i):ea(e,t,c.current,v,i)).then(w=>v.aborted||i(w),w=>v.aborted||i(({rows:h})=>({...Ae,...w.isPassing&&{rows:h},isLoading:!1,error:w}))),()=>g.abort()},u);let f=D(new AbortController);B(()=>{let g=new AbortController;return f.current=g,()=>g.abort()},[...u,s]),ke(async()=>{let{signal:g}=f.current;try{let v=await Je(e,c.current,void 0,g);g.aborted||i(y=>An(y,v))}catch(v){g.aborted||i(y=>({...y,moreError:v}))}},Vi,s);let m=async()=>{let g=c.current;i(v=>({...v,isLoadingMore:!0,moreError:void 0}));try{let v=0,{next:y}=r;for(;v<mt&&y!==null&&c.current===g;){let w=await Je(e,g,y);if(c.current!==g)return;v+=w.data.length,{next:y}=w;let h=v>=mt||y===null;i(S=>({...Zt(S,w),isLoadingMore:!h}))}}catch(v){if(c.current!==g)return;i(y=>({...y,isLoadingMore:!1,moreError:v}))}},b=()=>o(g=>g+1);return Nt(r.error,b),{...r,isLoading:r.isLoading||d,loadMore:m,reload:b}}async function zi(e,t,s,n){let o=Vt(await Je(e,t,void 0,s));for(;o.rows.length<mt&&o.next!==null&&!s.aborted;)n({...o,isLoadingMore:!0}),o=Zt(o,await Je(e,t,o.next,s));return o}async function ea(e,t,s,n,o){let r=new URLSearchParams(s);r.set("limit",String(Xe)),r.set("sort",t.sort),t.order!==""&&r.set("order",t.order);let i=Ae,l;for(let u=0;l!==null&&u<Qi;u++){let d=await Je(e,r,l,n);i=Rn(i,d,t,Xe),n.aborted||o(i),l=d.next}return i}function Je(e,t,s,n){let o=new URLSearchParams(t);return s!==void 0&&o.set("before",s),O(F(e,"requests",o),n&&{signal:n})}function Nn(e,t,s){let[n,o]=_({pages:void 0,isComplete:!1,error:void 0}),[r,i]=_(0),l=`${q(t)} ${j()}`;B(()=>{let d=new AbortController,{signal:c}=d;return(async()=>{let p=P(),m=at(t,p,j());m.has("to")||m.set("to",new Date(p).toISOString());let b=[];for(let g="";g!==null&&b.length<Yi;){g!==""&&m.set("before",g);let v=await O(F(e,"request_counts",m),{signal:c});if(c.aborted)return;b.push(v),{next:g}=v,o({pages:[...b],isComplete:g===null,error:void 0})}})().catch(p=>c.aborted||o({pages:void 0,isComplete:!1,error:p})),()=>d.abort()},[e.hasAdmin,l,r]);let u=()=>i(d=>d+1);return ke(u,Zi,s),Nt(n.error,u),{...n,recount:u}}async function Pn(e,t){let s=at(t,P(),j());s.set("format","csv"),s.set("limit",String(Ln));let n=[],o;do{o&&s.set("before",o);let r=await bs(F(e,"requests",s));n.push(await r.text()),o=r.headers.get("x-sluice-next")}while(o!==null&&n.length<En);return{text:tn(n),hasMore:o!==null}}function Dn({route:e}){let t=W(),s=Es(e.query),n=e.path[0],o=e.query.get("time"),{isOpen:r}=Ls(s,P(),j()),i=s.range==="custom",[l,u]=_(!1),d=r&&s.sort==="",c=l&&d,f=In(t,s,c),p=Nn(t,s,c),m=g=>location.hash=q(g,n,o),b=()=>{f.reload(),p.recount()};return a`
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
          onClick=${()=>u(!c)}
        ><span class="dot" aria-hidden="true"></span>Live</button>
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${b}
          disabled=${f.isLoading}>Refresh</button>
        <${oa} session=${t} filters=${s} counts=${p} />
      <//>
      <${nn}
        filters=${s}
        rows=${f.rows}
        session=${t}
        opened=${n}
        time=${o}
      />
      ${p.pages&&a`
        <${Cn}
          intervals=${kn(p.pages)}
          isComplete=${p.isComplete}
          isCustom=${i}
          onZoom=${(g,v)=>m(it(s,g,v))}
        />
      `}
      <div class=${`list-and-details ${n?"has-details":""}`}>
        <div class="list stack">
          <${T} error=${f.error} title="The requests cannot be listed" />
          <${ta}
            list=${f}
            filters=${s}
            opened=${n}
            session=${t}
            onSort=${g=>m({...s,...g})}
          />
        </div>
        ${n&&a`
          <${yn}
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
  `}function ta({list:e,filters:t,opened:s,session:n,onSort:o}){let{rows:r,error:i,moreError:l,isLoading:u,isLoadingMore:d,isSorting:c,next:f,loadMore:p}=e;return r===void 0?i?null:a`<${R} text="Loading the requests" />`:r.length===0&&f===null&&!c&&!u?a`<${na} filters=${t} />`:a`
    <div class=${`stack ${u?"stale":""}`}>
      <${$n} rows=${r} filters=${t} opened=${s} onSort=${o}
        showsKey=${n.hasAdmin} note=${u?"":sa(t,e)} />
    </div>
    <${T} error=${l} title="Cannot load more" />
    <div class="row more">
      <span class="soft small" role="status">${r.length} shown${d?", searching older requests":""}</span>
      ${f!==null&&a`
        <button type="button" aria-keyshortcuts="Alt+Shift+M" onClick=${p}
          disabled=${d}>
          ${d?"Loading":He(t)?"Search older requests":"Load more"}
        </button>
      `}
    </div>
  `}function sa({sort:e},{rows:t,isSorting:s}){if(e==="")return"";if(s)return"Sorting: older requests are still being read.";let n=["cost_usd","first_token_ms","path","model","provider"].includes(e)?" Requests without this value are left out.":"";return t.length<Xe?`All requests of this time and these filters.${n}`:`The first ${Xe} in this order, of all requests of this time and these filters.${n}`}function na({filters:e}){let t={...e,range:"90d",from:"",to:""};return a`
    <div class="card empty stack">
      <p>
        ${He(e)?"No request matches these filters in this time.":"No requests in this time. They appear here as soon as they end."}
      </p>
      ${e.range!=="90d"&&a`
        <p><a class="button" href=${q(t)}>Show the last 90 days</a></p>
      `}
    </div>
  `}function oa({session:e,filters:t,counts:{isComplete:s,pages:n=[]}}){let[o,r]=_({}),i=async()=>{r({isLoading:!0});try{let{text:c,hasMore:f}=await Pn(e,t);dt("requests.csv",c);let p=f&&new Error("The file has only the newest: choose a shorter time");r({error:p})}catch(c){r({error:c})}},l=n.flatMap(({data:c})=>c).reduce((c,{requests:f})=>c+f,0),u=l>ht,d=u?`newest ${$(ht)} rows`:`${$(l)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${i}
      disabled=${o.isLoading}
      title=${`Download CSV: at most the newest ${$(ht)} requests`}
    >${s||u?`CSV, ${d}`:"CSV"}</button>
    <${T} error=${o.error} title="Download" />
  `}var Gn={};ve(Gn,{default:()=>Kn});function Un(e){let t=null;return e.toReversed().map((s,n)=>{let o=t!==null&&s.provider!==null&&s.provider!==t;return s.provider!==null&&({provider:t}=s),{...s,number:n+1,hasMoved:o}})}function Bn(e){let t=u=>e.reduce((d,c)=>d+(c[u]??0),0),s=e.filter(({hasMoved:u})=>u).length,n=e.at(-1),o=Date.parse(n.time)-Date.parse(e[0].time)+e[0].ms,r=s===0?"never moved":s===1?"moved once":`moved ${s} times`,i=t("input_tokens"),l=e.length===1?"request":"requests";return{title:`${$(e.length)} ${l} in ${Ss(o)}; ${r}, ${ra(e)}`,text:i===0?"No input tokens are known.":`${C(t("cached_input_tokens"),i)} of ${$(i)} input tokens came from the prompt cache.`}}function ra(e){let t=e.filter(o=>o.cost_usd!=null);if(t.length===0)return"cost unknown";let s=t.reduce((o,r)=>o+r.cost_usd,0);return`${e.some(o=>o.cost_usd==null&&o.usage_source!=="none")?"\u2265 ":""}${k(s)}`}var jn=1e3,ia=200,aa=5;function Kn({route:e}){let t=W(),s=e.path[0],n=j(),o=st(e.query),r=[t.hasAdmin,o.range,o.from,o.to,n],i=V(()=>la(o,n),r),{data:l,error:u,isLoading:d}=I(c=>ua(t,i,c),r);return a`
    <div class="view" data-view="sessions">
      <${ee}
        title="Sessions"
        note="Requests that clients have put together by a session ID, such as those of one agent."
      />
      <${T} error=${u} title="The sessions cannot be listed" />
      ${l===void 0&&!u&&a`<${R} text="Loading the sessions" />`}
      <div class=${`list-and-details ${s===void 0?"":"has-details"}`}>
        ${l!==void 0&&a`
          <div class=${`list stack ${d?"stale":""}`}>
            <${fa} sessions=${l} opened=${s} />
          </div>
        `}
        ${s!==void 0&&a`
          <${$a} key=${s} id=${s} session=${t} times=${i} />
        `}
      </div>
    </div>
  `}function la(e,t){let{from:s,isOpen:n,to:o}=nt(e,P(),t),r=i=>new Date(i).toISOString();return{from:r(s),...!n&&{to:r(o)}}}async function ua(e,t,s){let n={...t,group_by:"session",limit:String(jn)},{data:o}=await O(F(e,"usage",n),{signal:s});return o.filter(r=>r.session!==null)}function Hn(e){return`#/sessions/${encodeURIComponent(e)}`}function ie(e,t,s,n,o={}){return{id:e,title:t,of:s,text:n,isNumber:!0,...o}}var ca=[{id:"session",title:"Session",of:e=>e.session,isRisingFirst:!0},ie("requests","Requests",({requests:e})=>e,$,{card:"c",mark:"requests"}),ie("errors","Failed",({errors:e})=>e>0?e:void 0,$),ie("input","Input",e=>e.input_tokens,E,{hint:"Input tokens",panel:"hide"}),ie("cached","Cached",da,e=>C(e,1),{hint:"The share of the input that came from prompt caches",card:"d",mark:"cached"}),ie("moves","Moves",e=>e.affinity_moves>0?e.affinity_moves:void 0,$,{hint:"How often it moved to another target"}),ie("saved","Saved",e=>e.saved_usd>0?e.saved_usd:void 0,k,{hint:"What caches have saved",panel:"hide"}),ie("cost","Cost",e=>e.cost_usd,(e,t)=>a`<span title=${`$${e}`}>${t.unpriced_requests>0?"\u2265 ":""}${k(e)}</span>`,{card:"b"})];function da(e){return e.input_tokens>0?e.cached_input_tokens/e.input_tokens:void 0}function fa({sessions:e,opened:t}){return e.length===0?a`
      <p class="card empty">
        No session in this time. A client names one by the header <code>x-sluice-session</code>.
      </p>
    `:a`
    <${U}
      label="Sessions"
      columns=${ca}
      rows=${e}
      idOf=${s=>s.session}
      hrefOf=${s=>Hn(s.session)}
      actionsOf=${s=>[{text:"Open",href:Hn(s.session)},{text:"Its requests",href:q({...re,session:s.session})},{text:"Copy the ID",copy:s.session}]}
      order=${{id:"cost",isRising:!1}}
      current=${t}
      hasPanel=${t!==void 0}
      onClose=${t===void 0?void 0:Wn}
    />
    <p class="faint small" role="status">
      ${e.length===1?"1 session":`${$(e.length)} ${e.length===jn?"or more ":""}sessions`}
    </p>
  `}function Wn(){location.hash="#/sessions"}async function pa(e,t,s,n){let o=[],r;for(let i=0;i<aa&&r!==null;i++){let l={...s,session:t,limit:String(ia),...r&&{before:r}},{data:u,next:d}=await O(F(e,"requests",l),{signal:n});o.push(...u),r=d}return{turns:Un(o),hasMore:r!==null}}function $a({id:e,session:t,times:s}){let{data:n,error:o}=I(r=>pa(t,e,s,r),[e,s]);return a`
    <section class="details card" aria-label="Session">
      <header>
        <h2 class="mono">
          <${ye} text=${e} />
        </h2>
        <${vs} icon="close" label="Close the session" onClick=${Wn} />
      </header>
      <div class="stack padded">
        <${T} error=${o} title="The session cannot be shown" />
        ${!n&&!o&&a`<${R} />`}
        ${n?.turns.length===0&&a`<p>This session has no request in this time.</p>`}
        ${n?.turns.length>0&&a`<${ma} ...${n} />`}
      </div>
    </section>
  `}function ma({turns:e,hasMore:t}){let{text:s,title:n}=Bn(e),o=V(()=>ha(e),[e]),r=e.findLast(i=>i.agent)?.agent;return a`
    <p class="said">${n}</p>
    <p class="soft small">${s}${r&&` Agent: ${r}.`}</p>
    ${t&&a`<p class="hint">The newest ${$(e.length)} requests.</p>`}
    <${U} label="Requests of the session" columns=${o} rows=${e}
      idOf=${i=>`${i.time} ${i.id}`}
      hrefOf=${i=>q(re,i.id,i.time)}
      order=${{id:"number",isRising:!0}} />
  `}function ha(e){let t=Math.max(1,...e.map(s=>s.input_tokens));return[{id:"number",title:"No.",of:({number:s})=>s,isRisingFirst:!0,cell:({number:s,time:n})=>a`<span title=${Z(n)}>${s}</span>`},{id:"provider",title:"Provider",card:"b",of:({provider:s})=>s,cell:s=>a`
          ${s.hasMoved&&a`
            <span class="badge">Moved</span>
          `}
          ${s.provider===null?"\u2013":a`<${ye} text=${s.provider} />`}
          ${s.status>=400&&a`
            <${We} row=${s} />
          `}
        `},{id:"input",title:"Input",hint:"Input tokens; the dark part was cached",card:"c",of:s=>s.input_tokens,cell:s=>a`<${ga} turn=${s} most=${t} />`},ie("first","First",s=>s.first_token_ms,x,{hint:"Time to first content"}),ie("cost","Cost",s=>s.cost_usd,k,{card:"d"})]}function ga({turn:{cached_input_tokens:e,input_tokens:t},most:s}){let n=`${$(e)} of ${$(t)} from the cache`;return a`
    <span class="input-bar" title=${n}>
      <span class="input-track" style=${{width:`${48*t/s}px`}}>
        <span style=${{width:`${t===0?0:100*e/t}%`}}></span>
      </span>
      ${E(t)}
    </span>
  `}var ro={};ve(ro,{default:()=>oo});var ba=3e3;function Xn({id:e,hasAdmin:t,onClose:s}){let n=t?"/v1/admin/providers":"/v1/providers",{data:o,error:r,reload:i}=I(u=>O(n,{signal:u}),[n]);ke(i,ba);let l=o?.data.find(u=>u.id===e);return a`
    <${H} title=${`Provider ${e}`} onClose=${s}>
      <div class="stack">
        <${T} error=${r} />
        ${!o&&!r&&a`<${R} />`}
        ${o&&!l&&a`<p>This provider is no longer configured.</p>`}
        ${l&&a`<${va} provider=${l} />`}
      </div>
      <//>
  `}function va({provider:e}){let t=Qt(e,"breakers"),s=Qt(e,"learned_rejections");return a`
    <p class="row soft">
      <span>Kind <code>${e.kind}</code></span>
      <span>${wa(e)}</span>
      ${e.workers?.length>1&&a`<span>${e.workers.length} workers</span>`}
    </p>
    <h3>Circuit breakers</h3>
    <${Yt}
      label="Circuit breakers"
      columns=${["Model","State","Recent failures","Tries again"]}
      rows=${t.map(({worker:n,model:o,state:r,failures:i,tries_again_in_ms:l})=>[zt(o,n),a`<${lt} state=${r} />`,i,l===void 0?"\u2013":`in ${x(l)}`])}
      empty="No model of this provider was used yet."
    />
    <h3>Suspended keys</h3>
    <${ya} provider=${e} />
    <h3>Learned rejections</h3>
    <${Yt}
      label="Learned rejections"
      columns=${["Model","What the vendor rejects"]}
      rows=${s.map(({worker:n,model:o,...r})=>[zt(o,n),a`<span class="mono wrap-anywhere">${_a(r)}</span>`])}
      empty="None."
    />
  `}function ya({provider:e}){let t=Qt(e,"suspended_keys");return e.workers===void 0&&e.keys?.suspended>0?a`<p>${e.keys.suspended} of ${e.keys.configured} keys are suspended.</p>`:a`
    <${Yt}
      label="Suspended keys"
      columns=${["Key","Model","Reason","Ends"]}
      rows=${t.map(({worker:s,key:n,model:o,reason:r,ends_in_ms:i})=>[zt(ka(e,n),s),o??"all",r,`in ${x(i)}`])}
      empty="None."
    />
  `}function Yt({label:e,columns:t,rows:s,empty:n}){return s.length===0?a`<p class="soft">${n}</p>`:a`
    <${Ce} label=${e}>
      <thead>
        <tr>${t.map(o=>a`<th key=${o} scope="col">${o}</th>`)}</tr>
      </thead>
      <tbody>
        ${s.map((o,r)=>a`
            <tr key=${r}>${o.map((i,l)=>a`<td key=${l}>${i}</td>`)}</tr>
          `)}
      </tbody>
      <//>
  `}function Qt({workers:e,...t},s){if(e===void 0)return Array.isArray(t[s])?t[s]:[];let n=e.length===1;return e.flatMap(o=>(o[s]??[]).map(r=>({...r,worker:n?void 0:o.worker})))}function zt(e,t){return a`
    <span class="mono wrap-anywhere">${e}</span>
    ${t!==void 0&&a`<span class="faint small"> worker ${t}</span>`}
  `}function ka({keys:e},t){return(Array.isArray(e)?e.find(n=>n.index===t):void 0)?.fingerprint??`key ${t}`}function wa({keys:e}){let t=Array.isArray(e)?e.length:e?.configured??0;return t===1?"1 key":`${t} keys`}function _a(e){return Object.entries(e).map(([t,s])=>`${t}: ${typeof s=="string"?s:JSON.stringify(s)}`).join(", ")}var xa=[...Dt.keys()],Vn={id:"state",isRising:!0};function Zn({providers:e,since:t,now:s,hasAdmin:n,opened:o}){let[r,i]=_(null),l=V(()=>Ta(s),[s]);if(e.length===0)return a`<p class="card empty">No provider is enabled.</p>`;let u=({id:c})=>[{text:"Breakers and keys",href:Jn(c)},{text:"Its requests",href:q({...re,provider:c})},{text:"Its failures",href:q({...re,provider:c,status:"error"})},...n?[{text:"Reset\u2026",run:()=>i(c)}]:[],{text:"Copy the name",copy:c}],d=()=>location.hash="#/status";return a`
    <section class="stack" aria-labelledby="providers-title">
      <div class="row spread">
        <h2 id="providers-title">All providers</h2>
        ${t&&a`
          <span class="faint small">Attempts and durations since ${$e(t)}</span>
        `}
      </div>
      <${U} label="Providers" columns=${l} rows=${Ft(e)}
        idOf=${({id:c})=>c} hrefOf=${({id:c})=>Jn(c)} actionsOf=${u}
        order=${Vn} current=${o} />
    </section>
    ${o!==void 0&&a`
      <${Xn} id=${o} hasAdmin=${n} onClose=${d} />
    `}
    ${r!==null&&a`<${qa} id=${r} onClose=${()=>i(null)} />`}
  `}function Jn(e){return`#/status/${encodeURIComponent(e)}`}function Yn(e){return[{id:"state",title:"State",isRisingFirst:!0,card:"b",of:({state:t})=>xa.indexOf(t),cell:({state:t})=>a`<${Sa} state=${t} />`},{id:"since",title:"Since",of:({health:t,state:s})=>_s(s)||s==="ok"?t?.since:void 0,text:t=>a`<span title=${Z(t)}>${pe(t,e)}</span>`},{id:"evidence",title:"Evidence",isProse:!0,card:"c",of:t=>Qn(t,e),cell:t=>a`<${Oa} entry=${t} now=${e} />`}]}function Sa({state:e}){return e==="limited"?a`<span class="st slow">${Dt.get(e).text}</span>`:a`<${Te} state=${e} />`}function Qn({health:e,last_failure:t},s){let n=e==null?"":Fe(e,s);if(!t)return n;let o=n.replace(/; \d+$/,""),r=`${Fs(t)}, ${xs(t.time,s)}`;return o===""?r:`${o}; ${r}`}function Oa({entry:e,now:t}){let{last_failure:s}=e,n=Qn(e,t);if(!s)return a`<span title=${n}>${n||"\u2013"}</span>`;let{request:o,time:r}=s;return a`<a class="failure" href=${q(re,o,r)} title=${n}>${n}</a>`}function Ta(e){return[{id:"provider",title:"Provider",of:({id:t})=>t,isRisingFirst:!0},...Yn(e),{id:"history",title:"24 h, failed",hint:"A bar for each hour",cell:({history:t})=>a`<${Ca} history=${t} />`},{id:"in_flight",title:"In flight",isNumber:!0,text:$,of:t=>t.in_flight||void 0},...zn(),{id:"rescued",title:"Rescued",isNumber:!0,of:({rescued:t})=>t,text:$,hint:"Failed attempts of requests that succeeded after all"},{id:"p50",title:"p50",isNumber:!0,of:t=>t.p50_ms,text:x},{id:"p95",title:"p95",isNumber:!0,of:t=>t.p95_ms,text:x},eo(),{id:"keys",title:"Suspended",hint:"Suspended keys",isNumber:!0,of:t=>t.resting_keys>0?t.resting_keys:void 0,text:(t,{keys:s})=>`${t} of ${s} keys`}]}function zn(){return[{id:"attempts",title:"Attempts",isNumber:!0,card:"d",mark:"attempts",of:({attempts:e})=>e,text:$},{id:"failed",title:"Failed",isNumber:!0,of:e=>e.failed_attempts,text:(e,{attempts:t})=>`${$(e)}${e>0?`, ${C(e,t)}`:""}`}]}function eo(){return{id:"breaker",title:"Breaker",of:({breaker:e})=>e==="closed"?void 0:e,cell:({breaker:e,tries_again_in_ms:t})=>a`
        ${e==="closed"?a`<span class="faint">Closed</span>`:a`<${lt} state=${e} />`}
          ${t>0&&a`<span class="faint small"> tries again in ${x(t)}</span>`}
      `}}function Ca({history:e}){let t=Us(e);return a`
    <span class="history" role="img" aria-label=${t} title=${t}>
      ${e.map((s,n)=>a`<span key=${n} class=${Bs(s)??"none"}></span>`)}
    </span>
  `}function qa({id:e,onClose:t}){let[s,n]=_({}),o=async()=>{n({isBusy:!0});let u=`/v1/admin/providers/${encodeURIComponent(e)}/reset`;try{n({cleared:(await O(u,{method:"POST"})).cleared})}catch(d){n({error:d})}},{cleared:r,error:i,isBusy:l}=s;return a`
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
            <button type="button" class="primary" onClick=${o} disabled=${l}>Reset</button>
          `}
        </div>
      </div>
      <//>
  `}function to({models:e,now:t}){let s=V(()=>[{id:"model",title:"Model",of:({id:n})=>n,isRisingFirst:!0},{id:"provider",title:"Provider",of:({provider:n})=>n,text:n=>a`<${ye} text=${n} />`},...Yn(t),...zn(),eo()],[t]);return e.length===0?null:a`
    <section class="stack" aria-labelledby="models-title">
      <h2 id="models-title">Targets</h2>
      <${U} label="Targets" columns=${s} rows=${Ft(e)}
        idOf=${({id:n,provider:o})=>JSON.stringify([n,o])} order=${Vn} />
    </section>
  `}var Ma=[{id:"provider",title:"Provider",of:({id:e})=>e,isRisingFirst:!0},{id:"kind",title:"Kind",of:({kind:e})=>e,card:"b"},{id:"reason",title:"Reason",isProse:!0,card:"c2",of:({reason:e})=>e??"unknown",text:e=>a`<span title=${e}>${e}</span>`}];function so({providers:e}){return e.length===0?null:a`
    <section class="stack" aria-labelledby="disabled-title">
      <h2 id="disabled-title">Disabled providers</h2>
      <${U} label="Disabled providers" columns=${Ma} rows=${e}
        idOf=${({id:t})=>t} order=${{id:"provider",isRising:!0}} />
    </section>
  `}var es=120,Re=26,no=60;function gt({values:e,tone:t=""}){let s=Math.max(1,...e),n=no-e.length,o=i=>((n+i)/(no-1)*es).toFixed(1),r=e.map((i,l)=>{let u=Re-1-i/s*(Re-3);return`${o(l)},${u.toFixed(1)}`}).join(" ");return a`
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
  `}var Aa=.05;function oo({route:e}){let t=W(),{state:s,history:n,isLive:o,error:r}=Hs(F(t,"live")),i=t.hasAdmin?"All providers of this gateway.":"The providers of the models that your key may use.";return a`
    <div class="view" data-view="status">
      <${ee} title=${s===void 0?"Providers":Ps(s)} note=${i}>
        <${La} isLive=${o} state=${s} error=${r} />
      <//>
      <${T} error=${r} title="No live state" />
      ${s===void 0?!r&&a`<${R} text="Connecting" />`:a`
        <${Ra} state=${s} history=${n} opened=${e.path[0]}
          hasAdmin=${t.hasAdmin} />
      `}
    </div>
  `}function Ra({state:e,history:t,hasAdmin:s,opened:n}){let o=e.providers.filter(l=>l.enabled),r=e.providers.filter(l=>!l.enabled),i=Date.parse(e.at);return a`
    <${Ea} state=${e} now=${i} />
    <${Na} config=${e.config} />
    <${Ia} state=${e} history=${t} enabled=${o.length} />
    <${Zn} providers=${o} since=${e.since} now=${i} hasAdmin=${s}
      opened=${n} />
    <${to} models=${e.models??[]} now=${i} />
    <${so} providers=${r} />
  `}function Ea({state:e,now:t}){let s=Ds(e,t);return s.length===0?null:a`
    <ul class="problems" aria-label="Problems now">
      ${s.map(({id:n,text:o})=>a`
          <li key=${n}><a href=${`#/status/${encodeURIComponent(n)}`}>${n}</a> ${o}</li>
        `)}
    </ul>
  `}function La({isLive:e,state:t,error:s}){return e?a`
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
  `}function Ia({state:e,history:t,enabled:s}){let{in_flight:n,requests_per_second:o,errors_per_second:r,providers:i,config:l}=e,u=o>0?r/o:0;return a`
    <dl class="figure-grid card live">
      <${N} label="In flight" value=${$(n)}>
        <${gt} values=${t.map(d=>d.in_flight)} />
        <//>
        <${N} label="Requests per second" value=${De(o)}>
          <${gt} values=${t.map(d=>d.requests_per_second??0)} />
          <//>
          <${N}
            label="Errors per second"
            value=${De(r)}
            note=${u>0?`${C(u,1)} of requests`:""}
            tone=${u>=Aa?"bad":""}
          >
        <${gt} values=${t.map(d=>d.errors_per_second??0)} tone="bad" />
      <//>
      <${N}
        label="Providers enabled"
        value=${`${s} of ${i.length}`}
      />
      ${l&&a`
        <${N}
          label="Configuration"
          value=${l.valid?"Valid":"Stale"}
          tone=${l.valid?"":"warn"}
          note=${l.loaded_at&&`loaded ${$e(l.loaded_at)}`}
        />
      `}
    </dl>
  `}function Na({config:e}){if(e===void 0||e.valid)return null;let{faults:t=[],loaded_at:s,reason:n}=e;return a`
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
  `}var tr={};ve(tr,{default:()=>er});var bt=36e5,Pa=48*bt,Da="month",ae=["key","team","owner","model","provider","tag","end_user"],Fa=["requests","errors","tokens","cost","latency"],Ve={by:"model",then:"",prefix:"",show:"cost",tab:"use",...Object.fromEntries(ae.map(e=>[e,""]))};function vt(e){let{by:t,show:s,then:n}=Object.fromEntries(e),o=ae.includes(t)?t:Ve.by;return{...st(e,Da),by:o,then:ae.includes(n)&&n!==o?n:"",prefix:e.get("prefix")??"",show:Fa.includes(s)?s:Ve.show,tab:e.get("tab")==="bill"?"bill":Ve.tab,...Object.fromEntries(ae.map(r=>[r,e.get(r)??""]))}}function Ee(e){return Object.fromEntries(ae.filter(t=>e[t]!=="").map(t=>[t,e[t]]))}function Le(e,t="usage"){let s=new URLSearchParams;Cs(s,e);for(let n of Object.keys(Ve))e[n]!==Ve[n]&&s.set(n,e[n]);return`#/${t}?${s}`}function Ze(e,t,s){let{from:n,isOpen:o,to:r}=nt(e,t,s),i=r-n<=Pa?"hour":"day",l=[],u=i==="hour"?n-n%bt:K(n,s);for(;u<r;)l.push(u),u=i==="hour"?u+bt:K(u,s,1);return{from:Math.min(n,l[0]??n),to:r,end:u,isOpen:o,unit:i,zone:s,starts:l}}function io(e,{unit:t,zone:s}){return t==="hour"?`${new Date(e).toISOString().slice(0,16)}Z`:z(e,s)}function ao(e,{from:t,to:s,zone:n,isOpen:o}){let r=o?K(s-1,n):s;if(r<=t)return;let i=Math.round((r-t)/(24*bt)),u=e.range==="month"||e.range==="last-month"?fe(t,n,-1):K(t,n,-i),d=K(u,n,i);return{now:{from:t,to:r},before:{from:u,to:Math.min(d,t)}}}function yt({from:e,to:t},s){return{from:new Date(e).toISOString(),to:new Date(t).toISOString(),...s!=="UTC"&&{time_zone:s}}}var lo=5,ts=[{id:"requests",name:"Requests",of:e=>e.requests,format:$,isWhole:!0},{id:"errors",name:"Errors",of:e=>e.errors,format:$,isWhole:!0},{id:"tokens",name:"Tokens",of:e=>e.input_tokens+e.output_tokens,format:E,isWhole:!0},{id:"cost",name:"Cost",of:L,format:k,isWhole:!1},{id:"latency",name:"Duration",format:Ua,isWhole:!1,isLines:!0}];function Ua(e){return e===0?"0":x(e)}function fo(e){return ts.find(t=>t.id===e)}function L({cost_usd:e,unpriced_requests:t}){return t>0&&e===0?null:e}function G(e){if(e===void 0)return k(0);let t=L(e);return t===null?"unknown":e.unpriced_requests>0?`\u2265 ${k(t)}`:k(t)}function po(e){let t=new Map;for(let{requests:s,tag:n}of e){let[,o]=/^([^:]+):./.exec(n??"")??[];o!==void 0&&t.set(o,(t.get(o)??0)+s)}return[...t].sort(([,s],[,n])=>n-s).map(([s])=>s)}function $o(e,t){let s=`${t}:`;return e.flatMap(n=>n.tag?.startsWith(s)?[{...n,tag:n.tag.slice(s.length)}]:[])}function mo(e,t,s){let n="A request with several tags counts for each of them",o=t.reduce((i,l)=>i+l.requests,0);if(s||e===void 0||o<=e.requests)return`${n}, so the rows may add up to more than the total.`;let r=Ye(...t);return`${n}: the rows add up to ${$(r.requests)} requests and ${G(r)}, all requests are ${$(e.requests)} and ${G(e)}.`}function le(e,t){return e??(t===null?"all":t==="tag"?"untagged":`no ${t.replace("_"," ")}`)}function ho(e,t,{by:s,show:n}){let{unit:o}=t,r=fo(n),{times:i,positions:l}=bo(t),u=new Map;for(let b of e){let g=l.get(b[o]);if(g===void 0)continue;let v=b[s]??null,y=u.get(v);y===void 0&&(y={name:le(v,s),values:i.map(()=>0),sums:Ye()},u.set(v,y)),y.values[g]=r.of(b),y.sums=Ye(y.sums,b)}let d=({sums:b})=>r.of(b)??-1,c=[...u.values()].sort((b,g)=>d(g)-d(b)),f=c.slice(0,lo).map(b=>co(b,r)),p=c.slice(lo),m=Ye(...c.map(({sums:b})=>b));return{metric:r,unit:o,zone:t.zone,isOpen:t.isOpen,times:vo(i,t),unpriced:n==="cost"?m.unpriced_requests:0,series:p.length===0?f:[...f,co(Ba(p),r,!0)]}}function go(e,t,s){let{times:n,positions:o}=bo(t),r=uo.map(({name:i,member:l})=>({name:i,isOther:!1,isPartial:!1,total:s?.[l]??null,values:n.map(()=>null)}));for(let i of e){let l=o.get(i[t.unit]);l!==void 0&&uo.forEach(({member:u},d)=>r[d].values[l]=i[u]??null)}return{metric:fo("latency"),unit:t.unit,zone:t.zone,isOpen:!1,times:vo(n,t),unpriced:0,series:r}}var uo=[{name:"p95",member:"p95_ms"},{name:"p50",member:"p50_ms"},{name:"First token, p50",member:"first_token_p50_ms"}];function bo(e){let{starts:t}=e,s=new Map(t.map((n,o)=>[io(n,e),o]));return{times:t,positions:s}}function vo(e,{zone:t}){return e.map(s=>(s+Ts(s,t))/1e3)}function ss(e,t){if(!t||e===null||e===void 0)return"";let s=Math.round(100*(e-t)/t);return`${s>0?"+":s<0?"\u2212":"\xB1"}${$(Math.abs(s))} %`}function co({name:e,values:t,sums:s},n,o=!1){let r=n.id==="cost"&&s.unpriced_requests>0;return{name:e,isOther:o,values:t,total:n.of(s),isPartial:r}}function Ba(e){return{name:e.length===1?"1 other":`${e.length} others`,values:e[0].values.map((t,s)=>ja(e.map(n=>n.values[s]))),sums:Ye(...e.map(({sums:t})=>t))}}var Ha=["requests","errors","input_tokens","output_tokens","cost_usd","unpriced_requests","unused_cost_usd","cached_input_tokens"];function Ye(...e){return Object.fromEntries(Ha.map(t=>[t,e.reduce((s,n)=>s+(n[t]??0),0)]))}function ja(e){let t=e.filter(s=>s!==null);return t.length===0?null:t.reduce((s,n)=>s+n,0)}var Ka=[{id:"name",title:"Billed by",isRisingFirst:!0,card:"a",of:e=>le(e.provider,"provider")},{id:"cost",title:"Cost",of:L,cell:G,isNumber:!0,card:"b"},{id:"unused",title:"Paid but not used",isNumber:!0,card:"d",hint:"Attempts that failed and were billed, and hedges that lost",of:e=>e.unused_cost_usd,text:k},{id:"share",title:"Of its cost",isNumber:!0,of:e=>L(e)?e.unused_cost_usd/L(e):void 0,text:e=>C(e,1)},{id:"requests",title:"Answered",isNumber:!0,card:"c",mark:"Answered",hint:"Requests that the provider answered: attempts that it bills may be more",of:e=>e.requests,text:$},{id:"input",title:"Input",of:e=>e.input_tokens,text:E,isNumber:!0},{id:"cached",title:"Cached",of:({cached_input_tokens:e})=>e,text:E,isNumber:!0},{id:"output",title:"Output",of:e=>e.output_tokens,text:E,isNumber:!0}];function yo({entries:e,total:t}){let s=t?.unused_cost_usd??0;return a`
    <p>
      ${s>0?a`<strong>${k(s)}</strong> was paid for answers that were not used, ${C(s,L(t)??0)} of the cost.`:"Everything that was paid for was used."}
      <span class="soft"> Tokens and dollars are those of the attempts at each provider.</span>
    </p>
    <${U} label="Cost by provider" columns=${Ka} rows=${e}
      idOf=${n=>String(n.provider)} order=${{id:"cost",isRising:!1}} />
  `}var Wa="Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" "),ko={hour:[1,2,3,6,12,24],day:[1,2,7,14,28,56,112,364]};function wo(e,t,s){let n=e[0]?.values.length??0,o=s.width/n,r=Math.min(72,Math.max(1,o*.75)),i=Array(n).fill(0),l=u=>s.top+s.height*(1-u/t);return e.map(({values:u})=>u.map((c,f)=>{if(!c)return"";let p=i[f];i[f]+=c;let m=s.left+o*(f+.5)-r/2,b=l(i[f]);return`M${ue(m)} ${ue(b)}h${ue(r)}V${ue(l(p))}h${ue(-r)}z`}).join(""))}function _o(e,t,s){let n=s.width/(e[0]?.values.length??1);return e.map(({values:o})=>o.map((r,i)=>{if(r===null)return"";let l=ue(s.left+n*(i+.5)),u=ue(s.top+s.height*(1-r/t));return(o[i-1]??null)===null?`M${l} ${u}h0`:`L${l} ${u}`}).join(""))}var kt={height:240,left:64,right:8,top:14,bottom:26};function xo({course:{start:e,end:t,points:s},forecast:n,budget:o,width:r}){let{bottom:i,height:l,left:u,top:d}=kt,c=s.at(-1),f=ns([{values:[c.usd,o??0,n?.high??0]}],{isLines:!0}),p=f.at(-1),m=r-kt.right,b=y=>ue(u+(m-u)*(y-e)/(t-e)),g=y=>ue(d+(l-d-i)*(1-y/p)),v=`M${b(c.time)} ${g(c.usd)}`;return{ticks:f,x:b,y:g,right:m,spent:s.map(({time:y,usd:w},h)=>`${h===0?"M":"L"}${b(y)} ${g(w)}`).join(""),band:n&&`${v}L${m} ${g(n.high)}V${g(n.low)}z`,line:n&&`${v}L${m} ${g(n.usd)}`,budget:o===void 0?void 0:`M${u} ${g(o)}H${m}`}}function ns(e,{isWhole:t,isLines:s=!1}){let o=(e[0]?.values.map((d,c)=>{let f=e.map(({values:p})=>p[c]??0);return s?Math.max(...f):f.reduce((p,m)=>p+m,0)})??[]).reduce((d,c)=>Math.max(d,c),0);if(o===0)return t?[0,1]:[0,.01];let r=10**Math.floor(Math.log10(o/5)),i=[1,2,5,10].find(d=>o/(d*r)<=5)??10,l=t?Math.max(1,i*r):i*r,u=Math.ceil(o/l-1e-9);return Array.from({length:u+1},(d,c)=>Number((c*l).toPrecision(12)))}function So(e,t,s){let n=Math.max(1,Math.floor(s/64)),o=ko[t].find(r=>e.length/r<=n)??ko[t].at(-1);return e.flatMap((r,i)=>(t==="hour"?new Date(r*1e3).getUTCHours():i)%o===0?[{index:i,text:Ga(r,t)}]:[])}function Ga(e,t){let s=new Date(e*1e3);return t==="hour"?s.toISOString().slice(11,16):`${s.getUTCDate()} ${Wa[s.getUTCMonth()]}`}function os(e,t){let s=new Date(e*1e3).toISOString();return t==="hour"?`${s.slice(0,10)} ${s.slice(11,16)}`:s.slice(0,10)}function ue(e){return Math.round(e*10)/10}var wt=240,he=64,Oo=8,_t=10,Xa=26,Ja=48;function To({chart:e,linkOf:t}){let[s,n]=_(null),{isOpen:o,metric:r,unit:i,times:l,series:u,unpriced:d,zone:c}=e,f=s!==null&&s<l.length?s:null;return a`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${r.name} per ${i}</strong>
        <span class="soft small">
          ${f===null?`Times in ${c}${o&&i==="day"?"; today is not over":""}`:`${os(l[f],i)} ${c}`}
        </span>
      </figcaption>
      <${Va} chart=${e} hovered=${f} onHover=${n} linkOf=${t} />
      <ul class="legend">
        ${u.map(({name:p,values:m,isOther:b,...g},v)=>a`
            <li key=${`${v}${p}`}>
              <span class=${`swatch ${qo(b,v)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${p}</span>
              <strong>
                ${f===null?Co(g,r):rs(m[f],r)}
              </strong>
            </li>
          `)}
      </ul>
      ${d>0&&a`
        <p class="hint">
          The price of ${d} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${Za} chart=${e} linkOf=${t} zone=${c} />
    </figure>
  `}function Va({chart:e,hovered:t,onHover:s,linkOf:n}){let o=D(null),r=qe(o),{isOpen:i,metric:l,unit:u,times:d,series:c}=e,f={left:he,top:_t,width:r-he-Oo,height:wt-_t-Xa},p=f.width/d.length,m=ns(c,l),b=l.isLines?_o:wo,g=r===0?[]:b(c,m.at(-1),f),v=h=>f.top+f.height*(1-h/m.at(-1)),y=h=>{let S=h.clientX-o.current.getBoundingClientRect().left-he,M=Math.floor(S/p);s(M>=0&&M<d.length?M:null)},w=`${l.name} per ${u}: ${c.map(({name:h,...S})=>`${h} ${Co(S,l)}`).join(", ")}`;return a`
    <div
      class=${l.isLines?"plot lines":"plot"}
      ref=${o}
      title="Show the requests of a time"
      onPointerMove=${y}
      onPointerLeave=${()=>s(null)}
      onClick=${()=>t!==null&&(location.hash=n(t))}
    >
      <svg
        width=${r}
        height=${wt}
        viewBox=${`0 0 ${r} ${wt}`}
        role="img"
        aria-label=${w}
      >
        ${t!==null&&a`
          <rect
            class="hovered"
            x=${he+t*p}
            y=${_t}
            width=${p}
            height=${f.height}
          />
        `}
        ${m.map(h=>a`
            <g key=${h}>
              <line class="grid" x1=${he} x2=${r-Oo} y1=${v(h)} y2=${v(h)} />
              <text x=${he-8} y=${v(h)+4} text-anchor="end">${l.format(h)}</text>
            </g>
          `)}
        ${g.map((h,S)=>a`<path key=${S} class=${qo(c[S].isOther,S)} d=${h} />`)}
        ${i&&!l.isLines&&r>0&&a`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${he+(d.length-1)*p} y=${_t} width=${p}
            height=${f.height} />
        `}
        ${r>0&&So(d,u,f.width).map(({index:h,text:S})=>a`
            <text
              key=${h}
              x=${he+(h+.5)*p}
              y=${wt-8}
              text-anchor=${(d.length-h-.5)*p<Ja/2?"end":"middle"}
            >${S}</text>
          `)}
      </svg>
    </div>
  `}function rs(e,t){return e===null?t.isLines?"\u2013":"unknown":t.format(e)}function Co({total:e,isPartial:t},s){return`${t&&e!==null?"\u2265 ":""}${rs(e,s)}`}function qo(e,t){return e?"series-other":`series-${t+1}`}function Za({chart:{times:e,series:t,metric:s,unit:n},linkOf:o,zone:r}){let[i,l]=_(!1);return a`
    <details onToggle=${u=>l(u.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${i&&a`
        <${Ce} label=${`${s.name} per ${n}`}>
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
                    <a href=${o(d)}>${os(u,n)}</a>
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
  `}var Ao=["requests","errors","input_tokens","cached_input_tokens","output_tokens","cost_usd","unused_cost_usd","unpriced_requests"];function is({by:e,period:{from:t,to:s,zone:n},then:o}){let r=[e,o].filter(i=>i);return`usage_${[z(t,n),z(s-1,n),...r].join("_")}.csv`}function Ro({by:e,detailed:t,groups:s,then:n,total:o}){let r=[e,n].filter(l=>l),i=[[...r,...Ao]];for(let l of t??s)i.push([...r.map(u=>le(l[u],u)),...Mo(l)]);return i.push([...r.map((l,u)=>u===0?"Total":""),...Mo(o??{})]),i.map(l=>l.map(Ya).join(",")+`
`).join("")}function Mo(e){return Ao.map(t=>e[t]??(t==="cost_usd"?"":0))}function Ya(e){if(typeof e=="number")return String(e);let t=/^[=+\-@\t\r]/.test(e)?`'${e}`:e;return/[",;\n]/.test(t)?`"${t.replaceAll('"','""')}"`:t}function Eo({data:e}){let t=e.detailed??e.groups,s=e.hasMore?`the first ${$(t.length)} rows`:`${$(t.length)} rows`;return a`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" title=${is(e)}
      onClick=${()=>dt(is(e),Ro(e))}>CSV, ${s}</button>
  `}var Qa={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"};function Lo({choice:e,session:t,onChange:s}){let[n,o]=_(e),r=ft(t),i=ae.map(c=>e[c]).join(`
`);B(()=>o(e),[i]);let l=(c,f)=>{let p=f.trim();p!==e[c]&&s({[c]:p,...p!==""&&za(c,e)})},u=new Set(["key","team","owner"]),d=ae.filter(c=>!u.has(c)||t.hasAdmin);return a`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${c=>c.preventDefault()}
    >
      ${d.map(c=>a`
          <div class="field" key=${c}>
            <label for=${`usage-${c}`}>${Qa[c]}</label>
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
        <button type="button" class="quiet" onClick=${()=>s(Object.fromEntries(ae.map(c=>[c,""])))}>Clear</button>
      `}
    </form>
  `}function za(e,{by:t}){let s=e==="tag"?"end_user":e==="end_user"?"tag":void 0;return s&&{[s]:"",...t===s&&{by:"model"}}}var el=864e5,tl=7,sl=3;function No({spent:e,costs:t,now:s,zone:n,since:o=-1/0}){let r=K(s,n),i=[];for(let p=1;p<=tl;p++){let m=K(r,n,-p);if(m<o)break;i.push(t.get(z(m,n))??0)}if(i.length<sl)return;let u=(fe(s,n,1)-s)/el,d=i.toSorted((p,m)=>p-m),c=i.reduce((p,m)=>p+m,0)/i.length,f=p=>e+p*u;return{usd:f(c),low:f(Io(d,.1)),high:f(Io(d,.9)),mean:c,left:u,days:i.length}}function Po({spent:e,costs:t,now:s,zone:n}){let[o,r]=[fe(s,n),fe(s,n,1)],i=[{time:o,usd:0}];for(let l=o;l<K(s,n);){let u=i.at(-1).usd+(t.get(z(l,n))??0);l=K(l,n,1),i.push({time:l,usd:u})}return{start:o,end:r,points:[...i,{time:s,usd:e}]}}function Do(e,t,s){let n=new Map(e.filter(r=>r.status==="active"&&r.budget?.per==="month"&&["team","owner"].every(i=>s[i]===""||r[i]===s[i])&&(s.key===""||r.name===s.key)).map(({budget:r,name:i})=>[i,r.usd]));if(!(t.some(r=>r.cost_usd>0&&!n.has(r.key))||n.size===0))return[...n.values()].reduce((r,i)=>r+i,0)}function Io(e,t){let s=t*(e.length-1),[n,o]=[e[Math.floor(s)],e[Math.ceil(s)]];return n+(o-n)*(s-Math.floor(s))}function Fo(e){let{budget:t,forecast:s,isMonth:n,now:o,rangeName:r,requests:i,spent:l,unpriced:u,zone:d}=e;if(i===0)return{title:`No requests: ${r.toLowerCase()}`,text:""};let c=l??0,f=u>0?"at least ":"";if(!n)return{title:`${r}: ${l===null?"an unknown cost":`${f}${k(c)}`}`,text:`${$(i)} requests.`};let p=Oe(d,{month:"long"}).format(o);if(s===void 0)return{title:`${p} has cost ${f}${k(c)} so far`,text:"A forecast needs three full days."};let m=t===void 0?0:s.usd-t,b=t===void 0?"":m>0?`, ${X(m)} over the budgets`:`, ${X(-m)} under the budgets`;return{title:`${p} will end near ${f}${X(s.usd)}${b}`,text:`${k(c)} is spent. The forecast adds the mean of the last ${s.days} full days, ${k(s.mean)}, for the ${s.left.toFixed(1)} days that are left; it lies between ${X(s.low)} and ${X(s.high)}.`}}function X(e){return e<100?k(e):`$${$(Number(e.toPrecision(3)))}`}var nl=new Set(["(other)","(unreadable)"]);function Uo(e,{from:t,to:s},n={}){let o=Object.entries(Ee(e)).filter(([r])=>Be.includes(r));return q(it({...re,...Object.fromEntries(o),...n},t,s))}function as(e,t,s,n,o=""){if(!(n==null||nl.has(n)))return Be.includes(s)?Uo(e,t,{[s]:n,status:o}):Le({...e,[s]:n,by:"key",then:""})}function Bo(e,{end:t,starts:s},n){return Uo(e,{from:s[n],to:s[n+1]??t})}async function xt(e){let t=[],s=null;do{let n={limit:String(5e3),...s!==null&&{after:s}},o=await e(n);t.push(o.part),s=o.next??null}while(s!==null&&t.length<20);return{parts:t,hasMore:s!==null}}var ol=2e4,rl=8;function Ho(e,t,s){let n=Ee(t),o=m=>{let b=async(v,y,w=s)=>{let h={...yt(y,w),...n,...v!==""&&{group_by:v}},{parts:S,hasMore:M}=await xt(async J=>{let{data:A,next:ne}=await O(F(e,"usage",{...h,...J}),{signal:m});return{part:A,next:ne}});return{entries:S.flat(),hasMore:M}},g=()=>e.hasAdmin?Promise.all([ot({},m),b("key",Ze(t,P(),s))]).then(([v,{entries:y}])=>Do(v,y,t)).catch(()=>{}):O("/v1/usage?from=2100-01-01&to=2100-01-02",{signal:m}).then(({budget:v})=>fl(v)?v.limit_usd:void 0);return il({choice:t,get:b,now:P(),zone:s,budgets:g})},{by:r,from:i,prefix:l,range:u,show:d,then:c,to:f}=t,p=[e.hasAdmin,u,i,f,r,c,l,s,d==="latency"];return I(o,[...p,JSON.stringify(n)])}async function il({choice:e,get:t,now:s,zone:n,budgets:o}){let{by:r,then:i}=e,l=Ze(e,s,n),u=e.show==="latency",d=e.range==="month",c=d?{from:Math.min(l.from,K(s,n,-rl)),to:s+1}:void 0,f=d&&dl.every(Y=>e[Y]===""),[p,m,b,g,v,y,w]=await Promise.all([t("",l),t(r,l),i===""?void 0:t(`${r},${i}`,l),t("model,provider",l),c&&t("day",c),ul(e,t,l),f?o():void 0]),h=m.entries.length*l.starts.length,S=m.hasMore||h>ol,M=await t(S||u?l.unit:`${l.unit},${r}`,l),J=p.entries[0],A=J===void 0?0:L(J),ne=new Map((v?.entries??[]).map(Y=>[Y.day,L(Y)??0])),tt={spent:A??0,costs:ne,now:s,zone:n},hs=v&&No({...tt,since:y.since}),Lt=Y=>r==="tag"&&e.prefix!==""?$o(Y,e.prefix):Y;return{total:J,period:l,choice:e,by:r,then:i,isLatency:u,isTogether:S,budget:w,forecast:hs,course:d?Po(tt):void 0,headline:{spent:A,forecast:hs,budget:w,now:s,zone:n,isMonth:d,requests:J?.requests??0,unpriced:J?.unpriced_requests??0},groups:Lt(m.entries),hasMore:m.hasMore,detailed:b&&Lt(b.entries),prefixes:r==="tag"?po(m.entries):[],series:S||u?M.entries:Lt(M.entries),compared:y.result,bill:al(g.entries),unpriced:g.entries.filter(({unpriced_requests:Y})=>Y>0).sort((Y,Ir)=>Ir.unpriced_requests-Y.unpriced_requests)}}function al(e){return[...Map.groupBy(e,({provider:t})=>t)].map(([t,s])=>({...ll(s),provider:t}))}function ll(e){let t={};for(let s of e)for(let[n,o]of Object.entries(s))typeof o=="number"&&(t[n]=(t[n]??0)+o);return{cost_usd:0,...t}}async function ul(e,t,s){let n=ao(e,s),o=fe(s.from,s.zone,-12),[r]=(await t("day",{from:o,to:s.to},"UTC")).entries.map(({day:c})=>c).sort(),i=r===void 0?s.to:Date.parse(r);if(n===void 0||i>n.before.from)return{since:i,result:void 0};let[l,u]=await Promise.all([t("",n.now),t("",n.before)]),d=l.entries[0]&&u.entries[0]?{now:l.entries[0],before:u.entries[0],name:cl(n.before,s.zone)}:void 0;return{since:i,result:d}}function cl({from:e,to:t},s){return Oe(s,{day:"numeric",month:"short"}).formatRange(e,t-1)}var dl=["model","provider","tag","end_user"];function fl(e){return e?.renews_at?Date.parse(e.renews_at)-Date.parse(e.period_start)>27*864e5:!1}var jo=14;function Ko({data:{budget:e,course:t,forecast:s,period:{zone:n}}}){let o=D(null),r=qe(o),{start:i,end:l,points:u}=t,{height:d,left:c,top:f}=kt,{right:p,ticks:m,x:b,y:g,...v}=xo({course:t,forecast:s,budget:e,width:r}),y=Oe(n,{day:"numeric",month:"short"}),w=u.at(-1),h=[i,(i+l)/2,l-1],S=[`${k(w.usd)} on ${y.format(w.time)}`,s&&`forecast ${X(s.usd)} on ${y.format(l-1)}, between ${X(s.low)} and ${X(s.high)}`,e!==void 0&&`the budget is ${k(e)}`].filter(Boolean).join("; ");return a`
    <figure class="card chart month-chart">
      <figcaption class="row spread">
        <strong>Cost of the month</strong>
        <span class="soft small">
          ${s?`Forecast of ${y.format(l-1)}: ${X(s.usd)}`:`Until ${y.format(w.time)}, ${n}`}
        </span>
      </figcaption>
      <div class="plot" ref=${o}>
        <svg width=${r} height=${d} viewBox=${`0 0 ${r} ${d}`} role="img"
          aria-label=${S}>
          ${m.map(M=>a`
              <g key=${M}>
                <line class="grid" x1=${c} x2=${p} y1=${g(M)} y2=${g(M)} />
                <text x=${c-8} y=${g(M)+4} text-anchor="end">${k(M)}</text>
              </g>
            `)}
          ${h.map((M,J)=>a`
              <text key=${z(M,n)} x=${b(M)} y=${d-8}
                text-anchor=${["start","middle","end"][J]}>${y.format(M)}</text>
            `)}
          ${v.band&&a`<path class="band" d=${v.band} />`}
          ${v.budget&&a`<path class="budget-line" d=${v.budget} />`}
          <path class="spent" d=${v.spent} />
          ${v.line&&a`<path class="forecast" d=${v.line} />`}
          ${v.budget&&a`
            <text x=${c+4} y=${g(e)+(g(e)<f+jo?jo:-4)}
            >Budget ${k(e)}</text>
          `}
        </svg>
      </div>
      ${s===void 0&&a`<p class="hint">A forecast needs three full days.</p>`}
    </figure>
  `}var pl=[{name:"input",label:"US dollars per million input tokens"},{name:"output",label:"US dollars per million output tokens"},{name:"cached_input",label:"Per million cached input tokens",isOptional:!0}],$l=[{unit:"searches",name:"thousand_searches",label:"US dollars per 1,000 searches"},{unit:"images",name:"image",label:"US dollars per image"},{unit:"characters",name:"million_characters",label:"US dollars per million characters"},{unit:"seconds",name:"minute",label:"US dollars per minute"}];function Wo(e){let t=$l.filter(({unit:o})=>e[o]>0),s=t.length===0||e.input_tokens+e.output_tokens>0,n=pl.map(o=>t.length>0?{...o,isOptional:!0}:o);return[...t,...s?n:[]]}function Go({data:e,targets:t},s,n){let o=(e.find(({id:i})=>i===s)?.steps??[]).flatMap(i=>i.targets).filter(i=>i.provider===n).map(({upstream:i})=>i),r=t.filter(i=>i.provider===n&&o.includes(i.upstream));return r.length>0?r.map(({id:i})=>i):s===null?[]:[s]}function Xo(e,t,s,n,o){let r=e.find(({path:p})=>p[0]==="providers"&&p[1]===t);if(r===void 0||s===void 0)return{fault:"config.yaml has no such provider: change its text."};let i=r.fields.find(({path:p})=>p.length===1&&p[0]==="models");if(i?.items===void 0)return{fault:"The provider has no list of models: name the model in 'models' first."};let l=n.map(({isOptional:p,name:m})=>[m,o[m]??"",p]);if(!l.every(([,p,m])=>/^\d+(\.\d+)?$/.test(p)||m&&p===""))return{};let d=Object.fromEntries(l.filter(([,p])=>p!=="").map(([p,m])=>[p,Number(m)])),c=i.items.findIndex(({name:p})=>p===s),f=[...r.path,"models",c===-1?i.items.length:c];return c!==-1&&i.items[c].is_text?{edits:[{path:[...f,"prices"],value:d}]}:{edits:[{path:f,value:{id:s,prices:d}}]}}var ls=20;function Jo({entries:e,canSet:t}){let[s,n]=_(void 0),[o,r]=_([]),i=t&&e.length>0,{data:l}=I(async c=>i?await O("/v1/admin/config",{signal:c}):void 0,[i]);if(e.length===0)return null;let u=e.reduce((c,f)=>c+f.unpriced_requests,0),d=l?.editable===!1?l.read_only_reason:void 0;return a`
    <section class="to-do stack" aria-labelledby="to-do-title">
      <h2 id="to-do-title">${$(e.length)} ${e.length===1?"model has":"models have"} no price</h2>
      <p>${$(u)} ${u===1?"request is":"requests are"} not in these sums.${d&&a`<span class="soft"> ${d}.</span>`}</p>
      <ul class="price-list">
        ${e.slice(0,ls).map(c=>a`
            <li key=${us(c)}>
              <span class="wrap-anywhere"><code>${c.model??"(no model)"}</code>
                <span class="soft"> at ${c.provider??"no provider"}, ${$(c.unpriced_requests)} ${c.unpriced_requests===1?"request":"requests"}</span></span>
              ${o.includes(us(c))?a`<span class="soft">Requests have a cost from now on.</span>`:t&&a`
                  <button type="button" class="small" title=${d}
                    disabled=${!l||d!==void 0}
                    onClick=${()=>n(c)}
                    aria-label=${`Set a price of ${c.model} at ${c.provider}`}
                  >Set a price</button>
                `}
            </li>
          `)}
      </ul>
      ${e.length>ls&&a`
        <p class="soft">And ${$(e.length-ls)} more.</p>
      `}
      ${s&&a`
        <${hl} entry=${s} onClose=${()=>n(void 0)}
          onSaved=${()=>{r([...o,us(s)]),n(void 0)}} />
      `}
    </section>
  `}function us({model:e,provider:t}){return JSON.stringify([e,t])}async function ml({model:e,provider:t},s){let[n,o]=await Promise.all([O("/v1/admin/config",{signal:s}),O("/v1/admin/routes",{signal:s})]),r=n.file_text??n.text,{objects:i}=await O("/v1/admin/config/form",{body:{text:r,edits:[]},signal:s});return{config:n,base:r,objects:i,targets:Go(o,e,t)}}function hl({entry:e,onSaved:t,onClose:s}){let n=ys("price"),[o,r]=_(0),{data:i,error:l}=I(h=>ml(e,h),[o]),[u,d]=_(void 0),[c,f]=_({}),[p,m]=_({}),b=Wo(e),g=i?.targets.find(h=>h===u)??i?.targets[0],{edits:v,fault:y}=i?Xo(i.objects,e.provider,g,b,c):{};if(p.text!==void 0)return a`
      <${js} config=${i.config} base=${i.base} text=${p.text}
        onSaved=${t} onClose=${s} onReload=${()=>{r(o+1),m({})}} />
    `;let w=async h=>{h.preventDefault();try{let S={text:i.base,edits:v};m(await O("/v1/admin/config/form",{body:S}))}catch(S){m({error:S})}};return a`
    <${H} title=${`Set a price of ${e.model}`} onClose=${s} class="narrow">
      <form class="stack" onSubmit=${w}>
        <${T} error=${l??p.error} title="The price cannot be set" />
        ${!i&&!l&&a`<${R} />`}
        ${i?.targets.length>1&&a`
          <div class="field">
            <label for=${n}>Model in config.yaml</label>
            <select id=${n} value=${g} onChange=${h=>d(h.target.value)}>
              ${i.targets.map(h=>a`<option key=${h} value=${h}>${h}</option>`)}
            </select>
          </div>
        `}
        ${i&&y&&a`<p class="fault">${y}</p>`}
        ${b.map(({label:h,name:S,isOptional:M})=>a`
            <div class="field" key=${S}>
              <label for=${`${n}-${S}`}>${h}${M?", if it differs":""}</label>
              <input id=${`${n}-${S}`} type="text" inputmode="decimal" autocomplete="off"
                value=${c[S]??""} required=${!M}
                pattern="\\d{1,9}([.]\\d{1,9})?"
                onInput=${J=>f({...c,[S]:J.target.value})} />
            </div>
          `)}
        <p class="hint">Requests have a cost from then on; earlier ones stay without one.</p>
        <div class="row end">
          <button type="button" onClick=${s}>Cancel</button>
          <button type="submit" class="primary" disabled=${!v}>Review the change</button>
        </div>
      </form>
      <//>
  `}var Vo={key:"Key",team:"Team",owner:"Owner",model:"Model",provider:"Provider",tag:"Tag",end_user:"End user"},cs=e=>({of:t=>t[e],text:E,isNumber:!0});function gl(e,t){let s=e?L(e)??0:0;return[{id:"cost",title:"Cost",of:L,cell:G,isNumber:!0,card:"b"},{id:"share",title:"Share",isNumber:!0,card:"d",of:n=>s>0?(L(n)??0)/s:void 0,cell:n=>C(L(n)??0,s)},{id:"requests",title:"Requests",isNumber:!0,card:"c",mark:"Requests",of:n=>n.requests,text:$},{id:"errors",title:"Errors",isNumber:!0,of:n=>n.errors||null,cell:n=>{let o=t(n,"error");return o?a`<a href=${o}>${$(n.errors)}</a>`:$(n.errors)}},{id:"input",title:"Input",hint:"Input tokens",...cs("input_tokens")},{id:"cached",title:"Cached",hint:"Cached input",...cs("cached_input_tokens")},{id:"output",title:"Output",hint:"Output tokens",...cs("output_tokens")},..._e.map(n=>({...n,isNumber:!0,of:o=>o[n.id]||null})),{id:"unused",title:"Not used",isNumber:!0,hint:"Cost of attempts whose answer was not used",of:n=>n.unused_cost_usd||null,text:k},{id:"p50",title:"p50",of:({p50_ms:n})=>n,text:x,isNumber:!0},{id:"p95",title:"p95",of:({p95_ms:n})=>n,text:x,isNumber:!0}]}function Zo({entries:e,detailed:t,by:s,then:n,total:o,linkOf:r}){let[i,l]=_({id:"cost",isRising:!1}),u=Vo[s]+(n===""?"":`, ${Vo[n].toLowerCase()}`),d=[{id:"name",title:u,isRisingFirst:!0,card:"a",of:({isSub:f,...p})=>le(p[f?n:s],f?n:s)},...gl(o,r)],c=V(()=>{let f=d.find(({id:b})=>b===i.id),p=It(e,f,i.isRising);if(t===void 0)return p;let m=Map.groupBy(t,b=>b[s]);return p.flatMap(b=>[b,...It((m.get(b[s])??[]).map(g=>({...g,isSub:!0})),f,i.isRising)])},[e,t,i]);return a`
    <${U} label=${`Usage by ${u.toLowerCase()}`} columns=${d} rows=${c}
      idOf=${f=>JSON.stringify([f[s],f.isSub?f[n]:void 0])}
      hrefOf=${f=>f.isSub?void 0:r(f)}
      classOf=${({isSub:f})=>f?"sub":""} order=${i} onOrder=${l} />
  `}var bl=.05;function Yo({data:e}){let{budget:t,compared:s,forecast:n,total:o}=e,{requests:r=0,errors:i=0,input_tokens:l=0,output_tokens:u=0}=o??{},d=o?L(o):0;return a`
    <dl class="figure-grid card">
      <${N} label="Cost" value=${G(o)}
        note=${vl(t!==void 0&&`${C(d??0,t)} of ${k(t)}`,o?.unpriced_requests>0&&`${$(o.unpriced_requests)} with an unknown price`)} tone=${t!==void 0&&d>t?"bad":""} />
      ${n&&a`
        <${N} label="Forecast" value=${X(n.usd)}
          note=${`${X(n.low)} to ${X(n.high)}`} />
      `}
      ${s&&a`
        <${N} label=${`Against ${s.name}`} value=${ss(L(s.now),L(s.before))||"\u2013"}
          note=${`${G(s.now)} against ${G(s.before)}, full days`} />
      `}
      <${N} label="Requests" value=${$(r)}
        note=${s&&ss(s.now.requests,s.before.requests)} />
      <${N} label="Errors" value=${$(i)}
        note=${i>0?`${(100*i/r).toFixed(1)} % of requests`:""}
        tone=${i>r*bl?"bad":""} />
      <${N} label="Input tokens" value=${E(l)} note=${yl(o)} />
      <${N} label="Output tokens" value=${E(u)} note=${kl(o)} />
      ${pt([o]).map(({id:c,title:f,text:p})=>a`<${N} key=${c} label=${f} value=${p(o[c])} />`)}
      <${N} label="Duration, p50" value=${r>0?x(o.p50_ms):"\u2013"}
        note=${r>0?`p95 ${x(o.p95_ms)}`:""} />
    </dl>
  `}function vl(...e){return e.filter(t=>t).join(", ")}function yl(e){return e?.cached_input_tokens>0?`${E(e.cached_input_tokens)} cached`:""}function kl(e){let t=e?.estimated_requests??0;return t>0?`${$(t)} requests estimated`:""}var wl=[["model","Model"],["provider","Provider"],["team","Team"],["owner","Owner"],["key","Key"],["tag","Tag"],["end_user","End user"]],Qo=["tag","end_user"],_l=["team","owner","key"];function St(e,t,s=""){let n=Qo.filter(o=>t[o]!==""||o===s);return wl.filter(([o])=>(e.hasAdmin||!_l.includes(o))&&o!==s&&(!Qo.includes(o)||n.every(r=>r===o)))}function xl(e,t){let s=(r,i)=>r.some(([l])=>l===i),n=s(St(e,t),t.by)?t.by:"model",o=s(St(e,t,n),t.then)?t.then:"";return{...t,by:n,then:o}}function er({route:e}){let t=W(),s=ut(),n=xl(t,vt(e.query)),{data:o,error:r,isLoading:i,reload:l}=Ho(t,n,s),u=f=>location.hash=Le({...n,...f}),{title:d,text:c}=o?Fo({...o.headline,rangeName:qs(n,s)}):{title:"Usage",text:""};return a`
    <div class="view" data-view="usage">
      <header class="view-head">
        <div class="view-title">
          <h1>${d}</h1>
          <p class="soft">${c} ${t.hasAdmin?"All keys.":"Usage of your key."}</p>
        </div>
        <div class="view-tools">
          <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${l}
            disabled=${i}>Refresh</button>
          ${o&&a`<${Eo} data=${o} />`}
          <button type="button" aria-keyshortcuts="Alt+Shift+P" onClick=${()=>print()}>
            Print
          </button>
        </div>
      </header>
      <${Lo} choice=${n} session=${t} onChange=${u} />
      ${o&&a`<${Sl} choice=${n} period=${o.period} />`}
      <${T} error=${r} title="No usage" />
      ${!o&&!r&&a`<${R} text="Loading the usage" />`}
      ${o&&a`
        <div class=${`stack wide ${i?"stale":""}`}>
          <${Yo} data=${o} />
          <${Jo} entries=${o.unpriced} canSet=${t.hasAdmin} />
          <div class="row"><${de} label="Kind of report" value=${n.tab}
            options=${[["use","By use"],["bill","By bill"]]}
            onChange=${f=>u({tab:f})} /></div>
          ${o.groups.length===0?a`<div class="card empty">No request has ended in this time.</div>`:n.tab==="bill"?a`<${yo} entries=${o.bill} total=${o.total} />`:a`
              <${Ol} data=${o} choice=${n} session=${t} onChange=${u} />
            `}
        </div>
      `}
    </div>
  `}function Sl({choice:e,period:t}){let s=Object.entries(Ee(e)).map(([n,o])=>`${n.replace("_"," ")} ${o}`);return a`
    <p class="only-print">
      ${[`${Z(t.from)} to ${Z(Math.min(t.to,P()))}`,...s].join(", ")}
    </p>
  `}function Ol({data:e,choice:t,session:s,onChange:n}){let{by:o,detailed:r,groups:i,hasMore:l,isLatency:u,isTogether:d,period:c,series:f,then:p,total:m}=e,b=u?go(f,c,m):ho(f,c,{by:d?null:o,show:zo(t)}),g=e.course!==void 0&&zo(t)==="cost",v=(y,w)=>e.choice.prefix===""?as(e.choice,c,o,y[o],w):as(e.choice,c,o,`${e.choice.prefix}:${y[o]}`,w);return a`
    <div class="row spread">
      <div class="row">
        <${de} label="Group by" value=${t.by} options=${St(s,t)}
          onChange=${y=>n({by:y,prefix:""})} />
        <span class="small soft">then by</span>
        <select class="inline" aria-label="Then by" value=${t.then}
            onChange=${y=>n({then:y.target.value})}>
            <option value="">nothing</option>
            ${St(s,t,t.by).map(([y,w])=>a`<option key=${y} value=${y}>${w}</option>`)}
          </select>
        ${o==="tag"&&e.prefixes.length>0&&a`
          <span class="small soft">of</span>
          <select class="inline" aria-label="Prefix of tags" value=${t.prefix}
            onChange=${y=>n({prefix:y.target.value})}>
              <option value="">all tags</option>
              ${e.prefixes.map(y=>a`<option key=${y} value=${y}>${y}:</option>`)}
            </select>
        `}
      </div>
      <${de} label="Figure of the chart" value=${t.show}
        options=${ts.map(({id:y,name:w})=>[y,w])}
        onChange=${y=>n({show:y})} />
    </div>
    <div class=${g?"usage-charts":""}>
      <${To} chart=${b} linkOf=${y=>Bo(e.choice,c,y)} />
      ${g&&a`<${Ko} data=${e} />`}
    </div>
    ${d&&!u&&a`
      <p class="hint">
        There are ${l?"more than ":""}${$(i.length)} groups, so the chart shows
        them together.
      </p>
    `}
    ${o==="tag"&&a`<p class="hint">${mo(m,i,l)}</p>`}
    <section>
      <${Zo} entries=${i} detailed=${r} by=${o} then=${p}
        total=${m}
        linkOf=${v} />
    </section>
  `}function zo({show:e}){return e==="latency"?"requests":e}var fr={};ve(fr,{default:()=>dr});var sr=Object.fromEntries(["requests","input_tokens","cached_input_tokens","cache_write_tokens","cost_usd","unpriced_requests","saved_usd","cache_write_usd","unpriced_cached_requests","response_cache_hits","response_cache_misses","response_cache_saved_usd","unpriced_response_cache_hits","queued_requests","queued_ms","hedged_requests","hedge_usd","unpriced_hedges","price_ordered_requests","price_order_saved_usd","unpriced_price_orders","affinity_hits","affinity_moves","affinity_starts","affinity_input_tokens","affinity_cached_input_tokens","affinity_saved_usd"].map(e=>[e,0]));function te(e){let{saved_usd:t,cache_write_usd:s,response_cache_saved_usd:n,hedge_usd:o}=e,{price_order_saved_usd:r}=e,i=t-n;return{prompt:i,reads:i+s,writes:s,response:n,order:r,hedges:o,net:t+r-o,unknown:e.unpriced_cached_requests+e.unpriced_response_cache_hits+e.unpriced_hedges+e.unpriced_price_orders}}function nr(e){let t=L(e),{net:s,unknown:n}=te(e);return t===null||n>0||e.unpriced_requests>0?null:t+s>0?s/(t+s):null}function or(e){return{input:e.input_tokens-e.affinity_input_tokens,cached:e.cached_input_tokens-e.affinity_cached_input_tokens}}function rr(e){return e.affinity_hits+e.affinity_moves+e.affinity_starts}var ir={prompt:{text:"On by default for Claude, where the prompt has at least 1,024 to 4,096 tokens. Most other vendors cache by themselves.",config:`routing:
  prompt_caching: auto`},sessions:{text:"Sends the requests of a session to the target whose cache has its prompt.",config:`routing:
  affinity: { ttl: auto }`},order:{text:"Asks the cheapest of equal targets first. A nested list is a group of equals.",config:`aliases:
  cheapest:
    targets: [[model-a, model-b]]
    balance: price`},response:{text:"Answers equal requests with a temperature of 0 from memory, for each key separately.",config:`routing:
  cache: { ttl: 5m }`},hedges:{text:"Sends the request to a second target if the first one takes unusually long. It costs money and saves time.",config:`routing:
  hedge: { after: p90, share: 5%, usd_per_hour: 2 }`},queue:{text:"Requests wait for a limit instead of getting a 429.",config:`routing:
  queue: { max_wait: 20s }`}};function ar({total:e}){let t=te(e);return a`
    <div class="saving-grid">
      <${Tl} total=${e} amounts=${t} />
      <${Cl} total=${e} />
      <${ql} total=${e} amounts=${t} />
      <${Ml} total=${e} amounts=${t} />
      <${Al} total=${e} amounts=${t} />
      <${Rl} total=${e} />
    </div>
  `}function Tl({total:e,amounts:t}){let{cached_input_tokens:s,cache_write_tokens:n,input_tokens:o}=e;return a`
    <${Ie}
      id="prompt"
      title="Prompt caching"
      isUsed=${s+n>0}
      value=${k(t.prompt)}
      what="saved, less the cost of writes"
      facts=${[["Reads saved",k(t.reads)],["Writes cost",k(t.writes)],["Cached input",`${C(s,o)}, ${E(s)} of ${E(o)}`],["Written",`${E(n)} tokens`],Ot(e.unpriced_cached_requests)]}
      basis="The vendors' token counts, at their prices."
    />
  `}function Cl({total:e}){let{affinity_hits:t,affinity_moves:s,affinity_starts:n}=e,o=or(e);return a`
    <${Ie}
      id="sessions"
      title="Sessions that stay"
      isUsed=${rr(e)>0}
      value=${k(e.affinity_saved_usd)}
      what="of what prompt caching saved"
      facts=${[["Stayed",lr(t)],["Moved",$(s)],["Started",$(n)],["Cached, if stayed",C(e.affinity_cached_input_tokens,e.affinity_input_tokens)],["Cached, others",C(o.cached,o.input)]]}
      basis="Part of prompt caching, so not added again. What the same requests would have cost at
        other targets is unknown."
    />
  `}function ql({total:e,amounts:t}){return a`
    <${Ie}
      id="order"
      title="Cheapest first"
      isUsed=${e.price_ordered_requests>0}
      value=${k(t.order)}
      what="saved"
      facts=${[["Requests",$(e.price_ordered_requests)],Ot(e.unpriced_price_orders)]}
      basis="Estimated: the same tokens at the first target in the order of config.yaml."
    />
  `}function Ml({total:e,amounts:t}){let{response_cache_hits:s,response_cache_misses:n}=e;return a`
    <${Ie}
      id="response"
      title="Response cache"
      isUsed=${s+n>0}
      value=${k(t.response)}
      what="saved"
      facts=${[["Hits",`${$(s)}, ${C(s,s+n)}`],["Misses",$(n)],Ot(e.unpriced_response_cache_hits)]}
      basis="What each answer cost when it was made."
    />
  `}function Al({total:e,amounts:t}){let{hedged_requests:s,requests:n}=e;return a`
    <${Ie}
      id="hedges"
      title="Hedges"
      isUsed=${s>0}
      value=${k(t.hedges)}
      what="spent"
      tone=${t.hedges>0?"warn":""}
      facts=${[["Requests",`${$(s)}, ${C(s,n)}`],Ot(e.unpriced_hedges)]}
      basis="The target whose answer was not used; estimated where its vendor reported no usage."
    />
  `}function Rl({total:e}){let{queued_requests:t,queued_ms:s}=e;return a`
    <${Ie}
      id="queue"
      title="Queue"
      isUsed=${t>0}
      value=${$(t)}
      what="requests waited"
      facts=${[["Average wait",x(t===0?0:s/t)],["All waits",x(s)]]}
      basis="Time, not money: some of them would have been a 429."
    />
  `}function lr(e){return e===1?"1 request":`${$(e)} requests`}function Ot(e){return e>0?["Unknown price",`${lr(e)}, not included`]:void 0}function Ie({id:e,title:t,isUsed:s,value:n,what:o,tone:r="",facts:i,basis:l}){return a`
    <section class=${`card saving figure ${r}`} aria-labelledby=${`saving-${e}`}>
      <h2 id=${`saving-${e}`}>${t}</h2>
      ${s?a`
          <p class="figure-line">
            <span class="figure-value">${n}</span>
            <span class="figure-note">${o}</span>
          </p>
          <${oe} class="saving-facts" facts=${i.filter(u=>u)} />
          <p class="hint">${l}</p>
        `:a`<${El} id=${e} />`}
    </section>
  `}function El({id:e}){let{text:t,config:s}=ir[e];return a`
    <p class="soft">No request used it in this time.</p>
    <p class="hint">${t}</p>
    <div class="how-to">
      <pre class="mono" tabindex="0" role="group" aria-label="config.yaml">${s}</pre>
      <${Q} text=${s} label="Copy the settings" isIcon=${!0} class="quiet small" />
    </div>
  `}var Ll={model:"Alias or model",provider:"Provider",key:"Key"},Il=[{id:"net",title:"Net saved",isNumber:!0,card:"b",of:e=>te(e).net,cell:e=>{let{net:t,unknown:s}=te(e);return`${k(t)}${s>0?" and unknown":""}`}},...[["prompt","Prompt caching"],["response","Response cache"],["order","Cheapest first, est."],["hedges","Hedges cost"]].map(([e,t])=>({id:e,title:t,isNumber:!0,text:k,of:s=>te(s)[e]||void 0})),{id:"cached",title:"Cached input",isNumber:!0,card:"c",mark:"cached",of:e=>e.input_tokens===0?void 0:e.cached_input_tokens/e.input_tokens,text:e=>C(e,1)},{id:"requests",title:"Requests",isNumber:!0,text:$,of:e=>e.requests},{id:"cost",title:"Cost",of:L,cell:G,isNumber:!0,card:"d"}];function ur({entries:e,hasMore:t,by:s}){let n=[{id:"name",title:Ll[s],of:o=>le(o[s],s),isRisingFirst:!0},...Il];return a`
    <${U} label=${`Savings by ${s}`} columns=${n} rows=${e}
      idOf=${o=>String(o[s])} order=${{id:"net",isRising:!1}} />
    ${t&&a`<p class="hint">The first ${$(e.length)}.</p>`}
  `}var cr=[["model","Alias or model"],["provider","Provider"],["key","Key"]];function dr({route:e}){let t=W(),s=t.hasAdmin?cr:cr.filter(([p])=>p!=="key"),n=vt(e.query),r=s.some(([p])=>p===n.by)?n:{...n,by:"model"},i=ut(),{data:l,error:u,isLoading:d,reload:c}=Nl(t,r,i),f=p=>location.hash=Le({...r,...p},"savings");return a`
    <div class="view" data-view="savings">
      <${ee}
        title=${l?.total?Pl(l.total):"Savings"}
        note=${t.hasAdmin?"Requests of all keys.":"Requests of your key."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${c} disabled=${d}>Refresh</button>
      <//>
      <${T} error=${u} title="No savings" />
      ${!l&&!u&&a`<${R} text="Loading the savings" />`}
      ${l&&a`
        <div class=${`stack wide ${d?"stale":""}`}>
          ${l.total&&a`<${Dl} total=${l.total} />`}
          ${!l.total&&a`
            <p class="card empty">No request has ended in this time.</p>
          `}
          <${ar} total=${l.total??sr} />
          ${l.total&&a`
            <div class="row">
              <${de}
                label="Group by"
                value=${r.by}
                options=${s}
                onChange=${p=>f({by:p})}
              />
            </div>
            <${ur} entries=${l.groups} hasMore=${l.hasMore} by=${l.by} />
          `}
        </div>
      `}
    </div>
  `}function Nl(e,t,s){let{range:n,from:o,to:r,by:i}=t;return I(async u=>{let d=yt(Ze(t,P(),s),s),c=m=>O(F(e,"usage",{...d,...m}),{signal:u}),[f,p]=await Promise.all([c({}),xt(async m=>{let{data:b,next:g}=await c({group_by:i,...m});return{part:b,next:g}})]);return{total:f.data[0],groups:p.parts.flat(),hasMore:p.hasMore,by:i}},[e.hasAdmin,n,o,r,i,s])}function Pl(e){let{net:t}=te(e),s=nr(e);if(t<0)return`Spent ${k(-t)} more than was saved`;let n=s===null?"":`, ${C(s,1)} of what it would have cost`;return`Saved ${k(t)}${n}`}function Dl({total:e}){let{net:t,unknown:s}=te(e);return a`
    <dl class="figure-grid card">
      <${N} label="Saved, net" value=${k(t)}
        note=${s>0?`${$(s)} with an unknown price`:""} />
      <${N}
        label="Cost"
        value=${G(e)}
        note=${e.unpriced_requests>0?`${$(e.unpriced_requests)} with an unknown price`:""}
      />
      <${N} label="Requests" value=${$(e.requests)} />
      <${N}
        label="Cached input"
        value=${C(e.cached_input_tokens,e.input_tokens)}
        note=${`of ${E(e.input_tokens)} tokens`}
      />
    </dl>
  `}var Lr={};ve(Lr,{default:()=>Er});var Tt=[["hour","hour"],["day","day"],["week","week"],["month","month"],["total","whole life"]],xe=[["requests_per_minute","Requests per minute","requests/min"],["tokens_per_minute","Tokens per minute","tokens/min"],["concurrent","Concurrent requests","concurrent"],["requests_per_hour","Requests per hour","requests/h"],["tokens_per_hour","Tokens per hour","tokens/h"],["requests_per_day","Requests per day","requests/day"],["tokens_per_day","Tokens per day","tokens/day"],...["Searches","Images","Characters","Seconds"].flatMap(e=>{let t=e.toLowerCase();return[[`${t}_per_minute`,`${e} per minute`,`${t}/min`],[`${t}_per_day`,`${e} per day`,`${t}/day`]]})],Ct=3;function ge(e){let{models:t,limits:s,budget:n,expires:o}=e??{};return{name:e?.name??"",models:(t??[]).join(`
`),...Object.fromEntries(xe.map(([r])=>[r,String(s?.[r]??"")])),usd:String(n?.usd??""),per:n?.per??"month",unknownPrices:n?.unknown_prices,expires:o==null?"":new Date(o*1e3).toISOString().slice(0,10),...Object.fromEntries(pr.map(r=>[r,e?.[r]??""]))}}var pr=["owner","team","note"];function $r(e){let t=Object.entries(ds(e)).filter(([,s])=>s!==null);return{name:e.name.trim(),...Object.fromEntries(t)}}function qt(e,t){let s=ds(ge(t));return Object.fromEntries(Object.entries(ds(e)).filter(([n,o])=>JSON.stringify(o)!==JSON.stringify(s[n])))}function ds(e){let t=e.models.split(/[\n,]/).map(n=>n.trim()).filter(n=>n!==""),s=xe.filter(([n])=>e[n].trim()!=="");return{models:t.length===0?null:t,limits:s.length===0?null:Object.fromEntries(s.map(([n])=>[n,mr(e[n])])),budget:e.usd.trim()===""?null:Fl(e),expires:e.expires===""?null:e.expires,...Object.fromEntries(pr.map(n=>[n,e[n].trim()||null]))}}function Fl({usd:e,per:t,unknownPrices:s}){let n={usd:mr(e),per:t};return s===void 0?n:{...n,unknown_prices:s}}function mr(e){let t=Number(e);return Number.isFinite(t)?t:e}function Ne(e){return xe.flatMap(([t,,s])=>e?.[t]==null?[]:[`${$(e[t])} ${s}`])}function se({usd:e,per:t}){let s=t==="total"?"in total":t==="hour"?"an hour":`a ${t}`;return`${k(e)} ${s}`}function hr(e,{origin:t,hasKey:s}){let{budget:n,expires:o,key:r,models:i,name:l,owner:u}=e,d=[`It may use ${i===null?"all models":i.join(", ")}`,n===null?"":`, up to ${se(n)}`,o===null?"":`, until ${new Date(o*1e3).toISOString().slice(0,10)}`];return[...u===null?[]:[`Hello ${u},`],`your key "${l}" for our model gateway is ready. ${d.join("")}.`,`Address: ${t}/v1`,`Usage and budget: ${t}/ (sign in with the key)`,s?`Key: ${r}`:"The key itself follows separately."].join(`
`)}function gr({status:e,previous_valid_until:t},s){return e==="active"&&t!=null&&t*1e3>s?t:void 0}function Mt({fields:e,onChange:t,isNew:s,knownTeams:n=[]}){let o=u=>d=>t({...e,[u]:d.target.value}),r=(u,d)=>a`
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
    `,[i]=_(()=>xe.slice(Ct).some(([u])=>e[u]!=="")),l=(u,d,c=[])=>a`
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
          ${Tt.map(([u,d])=>a`<option key=${u} value=${u}>${d}</option>`)}
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
        ${xe.slice(0,Ct).map(([u,d])=>r(u,d))}
      </div>
      <details class="more-limits" open=${i}>
        <summary>More limits</summary>
        <div class="three-fields">
          ${xe.slice(Ct).map(([u,d])=>r(u,d))}
        </div>
      </details>
    </fieldset>
  `}function Se(e){let[t,s]=_({isBusy:!1,error:void 0});return{...t,start:async o=>{if(o.preventDefault(),!t.isBusy){s({isBusy:!0,error:void 0});try{await e(),s({isBusy:!1,error:void 0})}catch(r){s({isBusy:!1,error:r})}}}}}function be({id:e}){return`/v1/admin/keys/${encodeURIComponent(e)}`}function br({entry:e,onChanged:t,onClose:s}){let[n,o]=_(()=>ge(e)),{isBusy:r,error:i,start:l}=Se(async()=>{let u=qt(n,e);Object.keys(u).length>0&&(await O(be(e),{method:"PATCH",body:u}),t()),s()});return a`
    <${H} title=${`Edit ${e.name}`} onClose=${s}>
      <form class="stack" onSubmit=${l}>
        <${Mt} fields=${n} onChange=${o} isNew=${!1} />
        <${T} error=${i} title="Not changed" />
        <${fs} text="Save" isBusy=${r} onClose=${s} />
      </form>
      <//>
  `}function vr({entry:e,onChanged:t,onClose:s}){let[n,o]=_("1h"),[r,i]=_(void 0),{isBusy:l,error:u,start:d}=Se(async()=>{let c={overlap:n.trim()||"0s"};i(await O(`${be(e)}/rotate`,{body:c})),t()});return r!==void 0?a`<${Ul} entry=${r} onClose=${s} />`:a`
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
        <${T} error=${u} title="Not rotated" />
        <${fs} text="Rotate" isBusy=${l} onClose=${s} />
      </form>
      <//>
  `}function yr({entry:e,onChanged:t,onClose:s}){let{isBusy:n,error:o,start:r}=Se(async()=>{await O(be(e),{method:"DELETE"}),t(),s()});return a`
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
  `}function Ul({entry:e,onClose:t}){return a`
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
  `}var At=.9,Bl=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeZone:"UTC"}),Hl=new Intl.DateTimeFormat("en-GB",{dateStyle:"medium",timeStyle:"short",timeZone:"UTC"});function Qe({limit_usd:e,spent_usd:t,...s}){let n=e>0?t/e:1,o=n>=1?"bad":n>=At?"warn":"good",{forecast_usd:r,renews_at:i,unpriced_requests:l}=s,u=[i&&`renews ${wr(i)}`,r!==null&&t>0&&`at this rate ${k(r)}${r>e?", more than the budget":""}`,l>0&&`${$(l)} requests of an unknown price`].filter(d=>d);return{tone:o,share:n,notes:u}}function Rt({budget:e,status:t,usage:s}){if(e===null||!s?.budget||t==="revoked")return;let{limit_usd:n,spent_usd:o}=s.budget;return n>0?o/n:1}function ps(e){return(Rt(e)??0)>=At}function kr(e){let t=e.filter(({status:u})=>u!=="revoked"),s=t.filter(ps),n=t.filter(u=>(Rt(u)??0)>=1),o=`${$(t.length)} ${t.length===1?"key":"keys"}`,r=s.length===0?t.some(({budget:u})=>u!==null)?`No key is over ${100*At} % of its budget`:`${o}, none with a budget`:`${$(s.length)} of ${o} ${s.length===1?"is":"are"} over ${100*At} % of ${s.length===1?"its budget":"their budgets"}`,i=n[0]?.usage.budget.renews_at,l=n.length===0?s.length===0&&t.length>0?`${o} in total.`:"":`${n.length===1?"It has":`${$(n.length)} have`} used it up and ${n.length===1?"is":"are"} refused with 429${n.length===1&&i?` until ${wr(i)}`:""}.`;return{title:r,text:l,used:n.length===1?n[0]:void 0}}function wr(e){let t=new Date(e);return e.includes("T00:00:00")?Bl.format(t):`${Hl.format(t)} UTC`}function $s(e){let t=s=>e.reduce((n,o)=>n+o[s],0);return`${e.length} days: ${$(t("requests"))} requests, ${k(t("cost_usd"))}`}function Et({budget:e,spending:t}){if(!t)return a`${se(e)}`;let{tone:s,notes:n,share:o}=Qe(t),{forecast_usd:r,limit_usd:i,spent_usd:l}=t,u=[`${k(l)} of ${se(e)}`,...n].join(", "),d=r!==null&&r>i;return a`
    <span class="budget" title=${u}>
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
  `}var _r=new Map([["expired","warn"],["disabled","bad"]]);function ze({id:e}){return`#/keys/${encodeURIComponent(e)}`}function ms({entry:e}){let{reason:t,status:s}=e,n=gr(e,Date.now());return a`
    <span class=${_r.has(s)?`badge ${_r.get(s)}`:"soft"} title=${t??""}
    >${s}</span>
    ${n&&a`
      <span class="small soft"> the text before is valid until ${new Date(n*1e3).toLocaleTimeString("en-GB")}</span>
    `}
  `}var jl=({usage:e})=>e?.days.reduce((t,{requests:s})=>t+s,0),Kl=[{id:"name",title:"Key",of:({name:e})=>e,isRisingFirst:!0,card:"a"},{id:"team",title:"Team",of:({team:e})=>e,isRisingFirst:!0,panel:"low"},{id:"owner",title:"Owner",of:({owner:e})=>e,isRisingFirst:!0,panel:"low"},{id:"share",title:"Of the budget",of:Rt,card:"c",hint:"Spent in the current period; an arrow means that the forecast passes the budget",cell:({budget:e,usage:t})=>e&&a`<${Et} budget=${e} spending=${t?.budget} />`},{id:"spent",title:"Spent",isNumber:!0,card:"b",of:({usage:e})=>e?.budget?.spent_usd,text:k},{id:"used",title:"Last used",card:"d",hint:"The last day in UTC with a request, of the last 30 days",of:({usage:e})=>e?.last_used},{id:"requests",title:"Requests, 30 d",of:jl,text:$,isNumber:!0},{id:"limits",title:"Limits",isProse:!0,of:({limits:e})=>Ne(e).join(", ")},{id:"status",title:"Status",of:({status:e})=>e,cell:e=>a`<${ms} entry=${e} />`},{id:"created",title:"Created",of:({created:e})=>e??"config.yaml",text:e=>typeof e=="number"?Ke(e):a`<code>config.yaml</code>`},{id:"prefix",title:"Begins with",of:({prefix:e})=>e,isRisingFirst:!0,text:e=>a`<code>${e}…</code>`}];function Pe({source:e,status:t}){return e==="store"&&t!=="revoked"}function xr({keys:e,marks:t,onAction:s}){return a`
    <${U} label="Keys" columns=${Kl} rows=${e} idOf=${({id:o})=>o}
      hrefOf=${ze} actionsOf=${o=>[{text:"Open",href:ze(o)},{text:"Requests",href:`#/requests?${new URLSearchParams({key:o.name})}`},{text:"Copy name",copy:o.name},...Pe(o)?[{text:"Edit",run:()=>s("edit",o)},{text:"Rotate",run:()=>s("rotate",o)},{text:"Revoke",run:()=>s("revoke",o),isDanger:!0}]:[]]} order=${{id:"share",isRising:!1}}
      marks=${t} classOf=${({status:o})=>o==="revoked"?"revoked":""} />
  `}function Or({keys:e,onAction:t,onClear:s}){let n=e.reduce((i,{usage:l})=>i+(l?.budget?.spent_usd??0),0),o=e.some(Pe),r=(i,l,u="")=>a`
      <button type="button" class=${`small ${u}`} disabled=${!o}
        onClick=${()=>t(i)}>${l}</button>
    `;return a`
    <div class="row bulk" role="status">
      <span><strong>${$(e.length)} selected</strong>, ${k(n)} spent together</span>
      ${r("budget","Change budget")} ${r("team","Change team")}
      ${r("revoke","Revoke","danger")}
      <button type="button" class="quiet small" onClick=${s}>Clear</button>
    </div>
  `}var Sr={budget:"Change the budget",team:"Change the team",revoke:"Revoke"};function Tr({kind:e,keys:t,onChanged:s,onClose:n}){let o=t.filter(Pe),[r,i]=_({usd:"",per:"month",team:""}),[l,u]=_(0),d=b=>g=>i({...r,[b]:g.target.value}),{isBusy:c,error:f,start:p}=Se(async()=>{try{for(let[b,g]of o.slice(l).entries())await Gl(e,g,r),u(l+b+1)}finally{s()}n()}),m=t.length-o.length;return a`
    <${H} title=${`${Sr[e]} of ${$(o.length)} keys`} onClose=${n}
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
        ${e==="budget"&&a`<${Wl} fields=${r} set=${d} />`}
        <${T} error=${f}
          title=${`${$(l)} of ${$(o.length)} are done`} />
        <div class="row end">
          <button type="button" onClick=${n}>Cancel</button>
          <button type="submit" class=${`primary ${e==="revoke"?"destructive":""}`}
            disabled=${c||o.length===0}
          >${c?`${$(l)} of ${$(o.length)}`:Sr[e]}</button>
        </div>
      </form>
      <//>
  `}function Wl({fields:e,set:t}){return a`
    <div class="two-fields">
      <div class="field">
        <label for="bulk-usd">US dollars</label>
        <input id="bulk-usd" type="text" inputmode="decimal" placeholder="None"
          value=${e.usd} onInput=${t("usd")} />
      </div>
      <div class="field">
        <label for="bulk-per">per</label>
        <select id="bulk-per" value=${e.per} onChange=${t("per")}>
          ${Tt.map(([s,n])=>a`<option key=${s} value=${s}>${n}</option>`)}
        </select>
      </div>
    </div>
  `}async function Gl(e,t,{team:s,usd:n,per:o}){if(e==="revoke")return await O(be(t),{method:"DELETE"});let r=e==="team"?{team:s}:{usd:n,per:o},i=qt({...ge(t),...r},t);if(Object.keys(i).length!==0)return await O(be(t),{method:"PATCH",body:i})}var Xl="The key is not shown again.",Jl="What you have typed is lost.";function Cr({onCreated:e,teams:t}){let[s,n]=_(ge),[o,r]=_(void 0),i=JSON.stringify(s)!==JSON.stringify(ge()),{isBusy:l,error:u,start:d}=Se(async()=>{r(await O("/v1/admin/keys",{body:$r(s)})),e()});if(o!==void 0)return a`<${Vl} entry=${o} />`;let c=f=>{f.key==="Enter"&&(f.ctrlKey||f.metaKey)&&d(f)};return a`
    <${et} text="Create key" />
    <header class="view-head">
      <div class="view-title">
        <h1>Create key</h1>
        <p class="soft">For a person or a program. All but the name can be changed later.</p>
      </div>
    </header>
    ${i&&a`<${qr} text=${Jl} />`}
    <form class="stack key-page" onSubmit=${d} onKeyDown=${c}>
      <${Mt} fields=${s} onChange=${n} isNew=${!0} knownTeams=${t} />
      <${T} error=${u} title="Not created" />
      <div class="row">
        <button type="submit" class="primary" disabled=${l}>Create key</button>
        <a class="button" href="#/keys">Cancel</a>
        <span class="small soft">Ctrl Enter</span>
      </div>
    </form>
  `}function et({text:e}){return a`
    <nav class="crumb small" aria-label="Position">
      <a href="#/keys">Keys</a> <span class="soft">/</span> <span>${e}</span>
    </nav>
  `}function qr({text:e}){let[t,s]=_(void 0),n=D(()=>{});return B(()=>{n.current=Ks(s);let r=i=>i.preventDefault();return addEventListener("beforeunload",r),()=>{n.current(),removeEventListener("beforeunload",r)}},[]),t===void 0?null:a`
    <${H} title="Leave this page?" onClose=${()=>s(void 0)} class="narrow"
      isHeld=${!0}>
      <p>${e}</p>
      <div class="row end">
        <button type="button" autofocus onClick=${()=>s(void 0)}>Stay</button>
        <button type="button" class="danger" onClick=${()=>{n.current(),location.hash=t}}>Leave</button>
      </div>
      <//>
  `}function Vl({entry:e}){let{expires:t,key:s,limits:n,models:o,name:r,note:i,owner:l,team:u}=e,d=[["Team",u],["Owner",l],["Note",i],["Models",o===null?"all":o.join(", ")],["Budget",e.budget===null?"none":se(e.budget)],["Limits",Ne(n).join(", ")||"default"],["Expires",t===null?"never":new Date(t*1e3).toISOString().slice(0,10)]].filter(([,p])=>p!==null),[c,f]=_(!1);return B(()=>{c&&(location.hash="#/keys")},[c]),a`
    ${!c&&a`<${qr} text=${Xl} />`}
    <${et} text=${r} />
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
        <${Zl} keyText=${s} />
        <${Ql} entry=${e} />
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
  `}function Zl({keyText:e}){let[t,s]=_(""),n=new URLSearchParams({os:Mr(),origin:location.origin}),{data:o,error:r}=I(l=>O(`/v1/clients?${n}`,{key:e,signal:l}),[e]),i=o?.data.find(l=>l.id===t)??o?.data[0];return a`
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
        ${Yl(i,e).map(({title:l,text:u})=>a`
            <div key=${l} class="stack">
              <div class="row spread"><code>${l}</code>
                <${Q} text=${u} class="small" /></div>
              <pre class="code-box" tabindex="0" aria-label=${l}>${u}</pre>
            </div>
          `)}
      `}
    </section>
  `}function Yl({files:e,steps:t},s){let n="SLUICE_API_KEY";return[{title:"Key in the environment",text:Mr()==="windows"?`setx ${n} ${s}`:`export ${n}=${s}`},...e.map(({path:i,text:l})=>({title:i,text:l})),...t.length===0?[]:[{title:"Steps",text:t.join(`
`)}]]}function Mr(){let{platform:e}=navigator;return/^win/i.test(e)?"windows":/^mac/i.test(e)?"darwin":"linux"}function Ql({entry:e}){let[t,s]=_(!1),n=hr(e,{origin:location.origin,hasKey:t});return a`
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
  `}function Ar({id:e,version:t,onAction:s}){let{data:n,error:o}=I(c=>O(be({id:e}),{signal:c}),[e,t]);if(!n)return a`
      <${et} text=${e} />
      <h1>Key</h1>
      <${T} error=${o} title="The key cannot be shown" />
      ${!o&&a`<${R} text="Loading the key" />`}
    `;let{budget:r,name:i,usage:l}=n,u=l?.days??[],d=c=>new URLSearchParams({[c]:i});return a`
    <${et} text=${i} />
    <header class="view-head">
      <div class="view-title">
        <h1 class="wrap-anywhere">${zl(n)}</h1>
        <p class="soft"><${ms} entry=${n} />${l?.last_used?`, last used on ${l.last_used}`:l?", not used in 30 days":""}</p>
      </div>
      <div class="view-tools">
        <a class="button" href=${`#/requests?${d("key")}`}>Requests</a>
        <a class="button" href=${`#/usage?${d("key")}`}>Usage</a>
        ${Pe(n)&&[["edit","Edit"],["rotate","Rotate"],["revoke","Revoke"]].map(([c,f])=>a`
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
            <${Et} budget=${r} spending=${l?.budget} />
            <p class="soft">${l?.budget&&Qe(l.budget).notes.join(", ")}</p>
          </section>
        `}
        <section class="card stack padded"><h2>The last 30 days</h2>
          <p>${$s(u).replace(/^.*?: /,"")}</p>
          <${eu} days=${u} />
        </section>
      </div>
      <aside class="card stack padded">
        <h2>Settings</h2>
        <${oe} facts=${tu(n)} class="key-facts" />
      </aside>
    </div>
  `}function zl({name:e,usage:t}){if(!t?.budget)return e;let{share:s}=Qe(t.budget);return s>=1?`${e} has used up its budget`:`${e} has spent ${Math.floor(100*s)} % of its budget`}function eu({days:e}){let t=Math.max(1,...e.map(({requests:s})=>s));return a`
    <div class="day-bars" role="img" aria-label=${$s(e)}>
      ${e.map(({cost_usd:s,requests:n},o)=>a`
          <span key=${o} title=${`${$(n)} requests, ${k(s)}`}
            style=${{height:`${100*n/t}%`}}></span>
        `)}
    </div>
    <div
      class="row spread small soft"><span>30 days ago</span><span>at most ${$(t)} ${t===1?"request":"requests"} a day</span><span>today, UTC</span></div>
  `}function tu(e){let{budget:t,created:s,expires:n,limits:o,models:r,note:i,owner:l,prefix:u,source:d,team:c}=e;return[["Team",c],["Owner",l],["Note",i],["Begins with",u&&a`<code>${u}…</code>`],["Models",r===null?"all":r.join(", ")],["Limits",Ne(o).join(", ")||"default"],["Budget",t===null?"none":se(t)],["Priority",e.priority],["Weight",e.weight],["Created",d==="config"?"in config.yaml":Ke(s)],["Expires",n===null?"never":Ke(n)]].filter(([,f])=>f!=null)}function Er({route:e}){let{hasAdmin:t}=W();return a`
    <div class="view" data-view="keys">
      ${t?a`<${ou} path=${e.path} query=${e.query} />`:a`
        <${ee} title="Keys" />
        <${rt} what="Managing keys needs an admin key." />
      `}
    </div>
  `}var nu={edit:br,rotate:vr,revoke:yr};function ou({path:[e],query:t}){let[s,n]=_(!1),[o,r]=_(null),[i,l]=_(0),u=I(m=>ot({revoked:s,usage:!0},m),[s,i]),d=()=>l(m=>m+1),c=(m,b)=>r({type:m,entry:b}),f=V(()=>ru(u.data??[],"team"),[u.data]),p=o&&nu[o.type];return a`
    ${e==="new"?a`<${Cr} onCreated=${d} teams=${f} />`:e!==void 0?a`<${Ar} id=${e} version=${i} onAction=${c} />`:a`
        <${iu} ...${u} search=${t.get("search")??""} onAction=${c}
          onChanged=${d} showsRevoked=${s} onRevoked=${n} />
      `}
    ${o&&a`
      <${p} entry=${o.entry} onChanged=${d}
        onClose=${()=>r(null)} />
    `}
  `}function ru(e,t){return[...new Set(e.map(s=>s[t]).filter(s=>s))].sort()}var Rr=[["all","All",()=>!0],["near","Over 90 %",ps],["unused","Not used in 30 d",({status:e,usage:t})=>e==="active"&&!t?.last_used]];function iu(e){let{data:t,error:s,isLoading:n,showsRevoked:o,onRevoked:r,onAction:i,onChanged:l}=e,[u,d]=_(e.search),[c,f]=_("all"),[p,m]=_(()=>new Set),[b,g]=_(void 0),v=s?.code==="store_required",[,,y]=Rr.find(([A])=>A===c),w=cu(u),h=V(()=>(t??[]).filter(A=>y(A)&&uu(A,w)),[t,c,w]),S=e.search.startsWith("sk-")&&u===e.search&&h.length===1?ze(h[0]):void 0;B(()=>S&&location.replace(S),[S]);let M=h.filter(({id:A})=>p.has(A)),J={ids:p,onToggle:A=>m(new Set(p.has(A)?[...p].filter(ne=>ne!==A):[...p,A])),onAll:A=>m(new Set(A?h.map(({id:ne})=>ne):[]))};return a`
    <${au} keys=${t}>
      <label class="check">
        <input type="checkbox" aria-keyshortcuts="Alt+Shift+V" checked=${o}
          onChange=${A=>r(A.target.checked)} />
        Show revoked keys
      </label>
      ${v?null:a`
        <a class="button primary" aria-keyshortcuts="Alt+Shift+N" href="#/keys/new">
          <${ce} name="add" /> Create key
        </a>
      `}
    <//>
    ${v?a`
        <div class="card empty">
          <p>${s.message}</p>
        </div>
      `:a`<${T} error=${s} title="The keys cannot be listed" />`}
    ${!t&&!s&&a`<${R} text="Loading the keys" />`}
    ${t&&a`
      <div class="row">
        <${de} label="Which keys" value=${c} onChange=${f}
          options=${Rr.map(([A,ne,tt])=>[A,`${ne} ${$(t.filter(tt).length)}`])} />
        <input type="search" class="key-search" aria-label="Search keys"
          aria-keyshortcuts="Alt+Shift+F" autocomplete="off" spellcheck=${!1}
          placeholder="Name, team, owner, note, or a key" value=${u}
          onInput=${A=>d(A.target.value)} />
      </div>
      ${M.length>0&&a`
        <${Or} keys=${M} onAction=${g} onClear=${()=>m(new Set)} />
      `}
      ${h.length===0?a`<div class="card empty" role="status">${lu(t,w)}</div>`:a`
          <div class=${n?"stale":""}>
            <${xr} keys=${h} marks=${J} onAction=${i} />
          </div>
        `}
    `}
    ${b&&a`
      <${Tr} kind=${b} keys=${M} onChanged=${l}
        onClose=${()=>g(void 0)} />
    `}
  `}function au({keys:e,children:t}){let{title:s,text:n,used:o}=e?kr(e):{title:"Keys",text:""};return a`
    <header class="view-head">
      <div class="view-title">
        <h1>${s}</h1>
        <p class="soft">${o&&a`
          <a class="wrap-anywhere" href=${ze(o)}>${o.name}</a>:
        `}${n}</p>
      </div>
      <div class="view-tools">${t}</div>
    </header>
  `}function lu(e,t){return t!==""?"No key has this text in its name, team, owner or note, or begins with it.":e.length===0?"No keys yet. Create one for each application or team.":"No key is like that."}function uu({name:e,note:t,owner:s,prefix:n,team:o},r){let i=r.toLowerCase();return[e,t,s,n,o].some(l=>l?.toLowerCase().includes(i))}function cu(e){let t=e.trim();return t.startsWith("sk-")?t.slice(0,18):t}export{Lr as keys,en as overview,Fn as requests,fr as savings,Gn as sessions,ro as status,tr as usage};
