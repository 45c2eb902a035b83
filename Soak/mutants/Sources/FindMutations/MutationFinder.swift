// Part of bgtask, under the Apache License 2.0; see LICENSE.

import SwiftSyntax

/// Collects the mutations of one file: comparisons, conditions, arithmetic, literals, minima and maxima, statements.
///
/// The tree has to be folded: operators need their operands.
final class MutationFinder: SyntaxVisitor {
    private(set) var mutations: [Mutation] = []

    private static let comparisons = ["<": "<=", "<=": "<", ">": ">=", ">=": ">"]
    private static let inequalities = ["==": "!=", "!=": "=="]
    private static let junctions = ["&&": "||", "||": "&&"]
    private static let signs = ["+": "-", "-": "+"]
    private static let extremes = ["min": "max", "max": "min"]
    /// Calls whose arguments only state invariants.
    private static let claims: Set = [
        "assert", "assertionFailure", "precondition", "preconditionFailure", "fatalError",
    ]

    // MARK: Skipped places

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    // MARK: Operators

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let sign = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else { return .visitChildren }
        let left = node.leftOperand.trimmedDescription
        let right = node.rightOperand.trimmedDescription
        if let other = Self.comparisons[sign] {
            choose("\(left) \(other) \(right)", insteadOf: node, "\(sign) → \(other)")
        } else if let other = Self.inequalities[sign] {
            negate(node, "\(sign) → \(other)")
        } else if let other = Self.junctions[sign] {
            choose("(\(left)) \(other) (\(right))", insteadOf: node, "\(sign) → \(other)")
        } else if let other = Self.signs[sign], !isText(node.leftOperand), !isText(node.rightOperand) {
            choose("\(left) \(other) \(right)", insteadOf: node, "\(sign) → \(other)")
        }
        return .visitChildren
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        if node.operator.text == "!" { negate(node, "! → nothing") }
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        if !isNegatedAnyway(node.condition) { negate(node.condition, "condition → negated") }
        return .visitChildren
    }

    private func isNegatedAnyway(_ condition: ExprSyntax) -> Bool {
        let infix = condition.as(InfixOperatorExprSyntax.self)?.operator.trimmedDescription
        let prefix = condition.as(PrefixOperatorExprSyntax.self)?.operator.text
        return prefix == "!" || infix.map { Self.inequalities[$0] != nil } ?? false
    }

    // MARK: Conditions

    override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        force(node.conditions)
        return .visitChildren
    }

    override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
        force(node.conditions)
        return .visitChildren
    }

    override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind {
        plant("!SWITCH, ", before: node.conditions, "while → never")
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        plant("(SWITCH || (", "))", around: node.condition, "condition → true")
        return .visitChildren
    }

    private func force(_ conditions: ConditionElementListSyntax) {
        plant("!SWITCH, ", before: conditions, "conditions → false")
        for case .expression(let condition) in conditions.map(\.condition) {
            plant("(SWITCH || (", "))", around: condition, "condition → true")
        }
    }

    // MARK: Values

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let other = node.literal.text == "true" ? "false" : "true"
        choose(other, insteadOf: node, "\(node.literal.text) → \(other)")
        return .skipChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        guard let value = Int(node.literal.text.filter { $0 != "_" }) else { return .skipChildren }
        choose("\(value + 1)", insteadOf: node, "\(value) → \(value + 1)")
        return .skipChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.calledExpression.as(DeclReferenceExprSyntax.self)
        if let name, Self.claims.contains(name.baseName.text) { return .skipChildren }
        let token = (name ?? node.calledExpression.as(MemberAccessExprSyntax.self)?.declName)?.baseName
        if let token, let other = Self.extremes[token.text] {
            let text = node.trimmedDescription.utf8
            let offset = token.positionAfterSkippingLeadingTrivia.utf8Offset - start(of: node)
            let mutated = "\(text.prefix(offset))\(other)\(text.dropFirst(offset + token.text.utf8.count))"
            choose(mutated, insteadOf: node, "\(token.text) → \(other)")
        }
        return .visitChildren
    }

    // MARK: Statements

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        if case .expr(let expression) = node.item, isEffect(expression), !isResult(node) {
            plant("if !SWITCH { ", " }", around: node, "statement → nothing")
        }
        return .visitChildren
    }

    private func isEffect(_ expression: ExprSyntax) -> Bool {
        if let call = expression.as(FunctionCallExprSyntax.self) {
            return !Self.claims.union(["self.init"]).contains(call.calledExpression.trimmedDescription)
        }
        guard let infix = expression.as(InfixOperatorExprSyntax.self) else { return false }
        if infix.operator.is(AssignmentExprSyntax.self) { return !infix.isInInitializer }
        return ["+=", "-="].contains(infix.operator.trimmedDescription)
    }

    // MARK: Planting

    private func choose(_ mutated: String, insteadOf node: some SyntaxProtocol, _ change: String) {
        if mutated.contains("//") { return }
        plant("(SWITCH ? \(inOneLine(mutated)) : ", ")", around: node, change)
    }

    private func negate(_ node: some SyntaxProtocol, _ change: String) {
        plant("(SWITCH != (", "))", around: node, change)
    }

    private func plant(_ prefix: String, before node: some SyntaxProtocol, _ change: String) {
        plant(prefix, "", around: node, change)
    }

    private func plant(_ prefix: String, _ suffix: String, around node: some SyntaxProtocol, _ change: String) {
        let end = node.endPositionBeforeTrailingTrivia.utf8Offset
        mutations.append(
            Mutation(
                change: change,
                original: inOneLine(node.trimmedDescription),
                start: start(of: node),
                end: end,
                prefix: prefix,
                suffix: suffix
            )
        )
    }

    private func inOneLine(_ text: String) -> String {
        text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
    }

    private func start(of node: some SyntaxProtocol) -> Int { node.positionAfterSkippingLeadingTrivia.utf8Offset }

    /// True for strings and arrays, which can be joined but not subtracted.
    private func isText(_ node: ExprSyntax) -> Bool {
        if let infix = node.as(InfixOperatorExprSyntax.self) {
            return isText(infix.leftOperand) || isText(infix.rightOperand)
        }
        return node.is(StringLiteralExprSyntax.self) || node.is(ArrayExprSyntax.self)
    }
}
