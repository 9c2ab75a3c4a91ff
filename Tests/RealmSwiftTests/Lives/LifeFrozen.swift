// SPDX-License-Identifier: Apache-2.0

import RealmSwift

/// What a place keeps without observing it.
struct LifeKept {
  let ids: [Int]
  let objects: [(id: Int, value: LifeState.Item)]

  /// What is not as the objects say.
  func finding(_ state: LifeState) -> String? {
    let expected = state.ids { $0.kind == 1 }
    if ids != expected { return "kept results are \(ids), not \(expected)" }
    let wrong = objects.first { $0.value != state.items[$0.id] }
    return wrong.map { "a kept object is \($0), not \(state.items[$0.id].map { "\($0)" } ?? "")" }
  }
}

/// A frozen version, and what it must hold permanently.
struct LifeFrozen {
  let version: LifeVersion
  let age: LifeAge
  /// All of it, the items by id, and the first of them.
  let read: () -> (LifeState, [(Int, LifeState.Item)], LifeState.Item?)
  /// The first item in a live realm, with its id if it is there and nil if there was none; the
  /// frozen results there, and whether they are.
  let thaw: (Realm) -> ((isThere: Bool, id: Int?)?, [Int], Bool)

  /// What is not as it was.
  func findings() -> [String] {
    let expected = version.state.visible(in: age)
    let (state, items, first) = read()
    var findings: [String] = []
    if state != expected {
      findings.append("a frozen realm differs: \(state.differences(from: expected))")
    }
    let ids = expected.items.keys.sorted()
    if items.map(\.0) != ids || items.map(\.1) != ids.map({ expected.items[$0] }) {
      findings.append("frozen results are \(items)")
    }
    if first != ids.first.flatMap({ expected.items[$0] }) {
      findings.append("a frozen object is \(first.map { "\($0)" } ?? "none")")
    }
    return findings
  }

  /// What is wrong in a live realm that shows `newer`.
  func findings(thawedIn realm: Realm, _ newer: LifeVersion) -> [String] {
    let (item, ids, isLive) = thaw(realm)
    var findings: [String] = []
    let all = newer.state.items.keys.sorted()
    if ids != all || !isLive { findings.append("thawed results are \(ids), not \(all)") }
    let id = version.state.items.keys.min()
    let isKept = id.map { version.births[.item($0)] == newer.births[.item($0)] } ?? false
    if let item, item.id != (isKept ? id : nil) || !item.isThere {
      findings.append("item \(id ?? -1) was thawed to \(item), and is kept: \(isKept)")
    }
    return findings
  }
}
