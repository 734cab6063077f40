/** The sample vault as it was frozen: what its two commits hold, byte for byte. Written down, never computed. */

export const commitA = "5687b1ae50e0886346f0533270faf254e648347a";
export const commitB = "07f92f597e92d449545ca48b2dad782554f0288e";

type Body = readonly [path: string, bytes: number, sha256: string];

export const stateA: readonly Body[] = [
  ["areas/라온/사건-기록.md", 526, "4ded2d02236fc8eea5186114550ca7ad229bbba4ccb4d2bd88a23d19026a2fe0"],
  ["areas/라온/작업-계약.md", 1149, "0ebe851ae28e5f8c2c5c7d076818bb9a41efaa8db7d4badc58e77775c087ae5a"],
  ["areas/라온/진행.md", 958, "5bb1540caa58de21c3d3be42be03bbce6337d7b423fbcfbf366738a2d7e34cbb"],
  ["atomic/학습-선택의-이유.md", 1012, "890852f2f538fa5fbe77451af1dac00c87726955fb59b586b6d6903a9a4df682"],
  ["maps/생활과-작업.md", 811, "18a27bfb1e98c8537b28fc3f559aba253abf69f29ecca2fa10824f4e2220570f"],
  ["projects/모아/진행.md", 488, "ccd9be2260e1c6eee24b64513a2c2e2729a8740e5a62d486349038ce42dfef8a"],
  ["reference/일반-학습법.md", 766, "d89effbc07fad71ce9bb06ceac7e7708076ed8b731e158904deb1f0972ce15d3"],
  ["rules/기록-운영.md", 720, "3d9bd8fad5179f2be46641d8ff836e1e8277c8ca3bff8e6e506b1c914224824e"],
  ["sources/모아-표지-결정.md", 646, "291b6de4ae840937cc9f42401128da9ec0003f9319f8360d4545f3b61b33b94f"],
  ["sources/초기-제안.md", 678, "9e8f10e21f7c646a1c5d9c1ad40a5d4946b1922365bf21086abf1b72d06f7c60"],
  ["sources/푸른-연필.md", 528, "3837c50f0498cabdd0e1e0e7d3fa244a9e1d53a4145a7872f32110712c06533f"],
  ["sources/학습-선택-정정.md", 906, "ca5c19b30cc35f125747d2ef32c210a1e62859c7043ce1d4a2d123817946df1b"],
];

export const stateB: readonly Body[] = [
  ["areas/라온/사건-기록.md", 712, "471a8dc0eb26e66e2af8d186cd49275dd5f6220e70df64ca2b9d35223dd2cab5"],
  ["areas/라온/작업-계약.md", 1149, "0ebe851ae28e5f8c2c5c7d076818bb9a41efaa8db7d4badc58e77775c087ae5a"],
  ["areas/라온/진행.md", 793, "863702dfbb061ecc119b2c64c732611dd8f4e6350bc0986ab52a39bf9fd323b3"],
  ["atomic/학습-선택의-이유.md", 1012, "890852f2f538fa5fbe77451af1dac00c87726955fb59b586b6d6903a9a4df682"],
  ["maps/생활과-작업.md", 811, "18a27bfb1e98c8537b28fc3f559aba253abf69f29ecca2fa10824f4e2220570f"],
  ["projects/모아/진행.md", 488, "ccd9be2260e1c6eee24b64513a2c2e2729a8740e5a62d486349038ce42dfef8a"],
  ["reference/일반-학습법.md", 766, "d89effbc07fad71ce9bb06ceac7e7708076ed8b731e158904deb1f0972ce15d3"],
  ["rules/기록-운영.md", 720, "3d9bd8fad5179f2be46641d8ff836e1e8277c8ca3bff8e6e506b1c914224824e"],
  ["sources/모아-표지-결정.md", 646, "291b6de4ae840937cc9f42401128da9ec0003f9319f8360d4545f3b61b33b94f"],
  ["sources/초기-제안.md", 678, "9e8f10e21f7c646a1c5d9c1ad40a5d4946b1922365bf21086abf1b72d06f7c60"],
  ["sources/푸른-연필.md", 528, "3837c50f0498cabdd0e1e0e7d3fa244a9e1d53a4145a7872f32110712c06533f"],
  ["sources/학습-선택-정정.md", 906, "ca5c19b30cc35f125747d2ef32c210a1e62859c7043ce1d4a2d123817946df1b"],
];

/** Which notes each note links to, in the order of its text. The same in both states. */
export const links: Readonly<Record<string, readonly string[]>> = {
  "areas/라온/사건-기록.md": ["areas/라온/진행.md"],
  "areas/라온/작업-계약.md": ["areas/라온/사건-기록.md", "rules/기록-운영.md"],
  "areas/라온/진행.md": ["areas/라온/작업-계약.md", "areas/라온/사건-기록.md", "rules/기록-운영.md"],
  "atomic/학습-선택의-이유.md": ["sources/초기-제안.md", "sources/학습-선택-정정.md"],
  "maps/생활과-작업.md": ["atomic/학습-선택의-이유.md", "areas/라온/진행.md", "projects/모아/진행.md", "sources/모아-표지-결정.md"],
  "projects/모아/진행.md": ["sources/모아-표지-결정.md"],
  "reference/일반-학습법.md": [],
  "rules/기록-운영.md": ["areas/라온/작업-계약.md"],
  "sources/모아-표지-결정.md": ["projects/모아/진행.md"],
  "sources/초기-제안.md": ["sources/학습-선택-정정.md"],
  "sources/푸른-연필.md": [],
  "sources/학습-선택-정정.md": ["atomic/학습-선택의-이유.md"],
};
