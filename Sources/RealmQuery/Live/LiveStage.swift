// SPDX-License-Identifier: Apache-2.0

// The steps of a live query after its condition and order, and the lists that they remember.

/// A step of a query after its order, or several that are one.
enum LiveStage: Equatable {
  case filter(BoundPredicate)
  case sort(SortOrder)
  case distinct(SortOrder)
  /// Limits and offsets in a row: the elements at some positions.
  case window(Range<Int>)

  /// Whether this leaves out elements that equal others.
  var isDistinct: Bool { if case .distinct = self { true } else { false } }

  /// The number of elements that a window in front of all else remembers: some more than it shows,
  /// so that others can move up.
  static func rememberedCount(for window: Range<Int>) -> Int {
    let (sum, overflow) = window.upperBound.addingReportingOverflow(max(window.upperBound, 128))
    return overflow ? .max : sum
  }
}

/// The remembered elements of a stage.
struct StageList: Sendable, Equatable {
  /// The elements: of a window in their order, of `distinct` with equal ones side by side.
  var keys: ChunkedKeys
  /// Whether these are all; if not, they are the first.
  var isComplete = true
}

extension TableQuery {
  /// The steps after the order.
  var stages: [LiveStage] {
    var stages: [LiveStage] = []
    for step in steps {
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
        stages.append(.window(TableQuery.cut(window, by: step)))
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

  /// The number of ordered objects that the stages need to begin with.
  var rememberedCount: Int {
    guard case .window(let window) = stages.first else { return .max }
    return LiveStage.rememberedCount(for: window)
  }
}
