// SPDX-License-Identifier: Apache-2.0

// What a live query does behind its predicate and order, and what it remembers for that.

import RealmTables

/// A step of a query behind its order, or several that are one.
enum LiveStage: Equatable {
  case filter(Predicate)
  case sort(SortOrder)
  case distinct(SortOrder)
  /// Limits and offsets in a row: the elements at some positions.
  case window(Range<Int>)

  /// Whether this leaves out elements that equal others.
  var tellsApart: Bool { if case .distinct = self { true } else { false } }

  /// How many elements a window in front of everything else remembers: some more than it shows, so
  /// that others can move up.
  static func rememberedCount(for window: Range<Int>) -> Int {
    let (sum, overflow) = window.upperBound.addingReportingOverflow(max(window.upperBound, 128))
    return overflow ? .max : sum
  }
}

/// What a stage remembers of what it gets.
struct StageList: Sendable, Equatable {
  /// The elements: of a window in their order, of `distinct` with equal ones side by side.
  var keys: ChunkedKeys
  /// Whether these are all; if not, they are the first.
  var isComplete = true
}

extension LiveQuery {
  /// The steps behind the order.
  var stages: [LiveStage] {
    var stages: [LiveStage] = []
    for step in rest {
      switch step {
      case .filter(let predicate): stages.append(.filter(predicate))
      case .sort(let order): stages.append(.sort(order))
      case .distinct(let order): stages.append(.distinct(order))
      case .limit, .offset:
        var window = 0..<Int.max
        if case .window(let last) = stages.last {
          window = last
          stages.removeLast()
        }
        stages.append(.window(LiveQuery.cut(window, by: step)))
      }
    }
    return stages
  }

  private static func cut(_ window: Range<Int>, by step: QueryStep) -> Range<Int> {
    switch step {
    case .limit(let count) where count < window.count:
      return window.lowerBound..<window.lowerBound + count
    case .offset(let count):
      let end = window.upperBound
      return (count < window.count ? window.lowerBound + count : end)..<end
    default: return window
    }
  }

  /// How many of the ordered objects the stages need to begin with.
  var rememberedCount: Int {
    guard case .window(let window) = stages.first else { return .max }
    return LiveStage.rememberedCount(for: window)
  }
}
