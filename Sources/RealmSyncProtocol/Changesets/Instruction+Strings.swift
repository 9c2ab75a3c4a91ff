// SPDX-License-Identifier: Apache-2.0

// The strings of an instruction.

extension Instruction {
  /// The number of strings to be defined before the instruction: one more than its highest index.
  func stringCount(elements: [PathElement]) -> Int {
    var count = 0
    func need(_ string: InternedString) { count = max(count, Int(string.index) + 1) }
    func need(_ key: PrimaryKey) { if case .string(let string) = key { need(string) } }
    need(table)
    switch self {
    case .addTable(let step): if let key = step.key { need(key.field) }
    case .eraseTable: break
    case .createObject(let object), .eraseObject(let object): need(object.key)
    case .eraseColumn(let step): need(step.field)
    case .addColumn(let step):
      need(step.field)
      if let target = step.linkTarget { need(target) }
    default:
      guard let path else { break }
      need(path.key)
      need(path.field)
      for element in path.elements.indices {
        if case .key(let key) = elements[element] { need(key) }
      }
      if case .link(let table, let key) = payload {
        need(table)
        need(key)
      }
    }
    return count
  }
}
