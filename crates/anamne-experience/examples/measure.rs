use std::io::BufRead;
use anamne_experience::same_request::{Verdict, same_request};
fn main(){
 let path=std::env::args().nth(1).unwrap(); let show=std::env::args().nth(2).unwrap_or_default();
 let f=std::io::BufReader::new(std::fs::File::open(path).unwrap());
 let mut m=std::collections::BTreeMap::<String,(u32,u32)>::new();
 for l in f.lines(){ let v:serde_json::Value=serde_json::from_str(&l.unwrap()).unwrap();
  let(a,b)=(v["a"].as_str().unwrap(),v["b"].as_str().unwrap()); let same=v["same"].as_bool().unwrap();
  let r=same_request(a,b); let hit=r==Verdict::Same;
  let k=format!("{} {} {}",v["part"].as_str().unwrap_or(""),same,v["kind"].as_str().unwrap_or(""));
  let e=m.entry(k).or_default(); e.1+=1; if hit{e.0+=1}
  let part=v["part"].as_str().unwrap_or("");
  if (hit!=same && show=="wrong" && part!="report")||(hit&& !same && show=="false"){ println!("{hit} {r:?} {} | {a} | {b}",v["kind"]); }
 }
 for (k,(h,n)) in m { println!("{k}: {h}/{n} = {:.1}%",100.0*h as f64/n as f64);}
}
