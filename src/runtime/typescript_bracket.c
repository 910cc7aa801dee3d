/* typescript_bracket.c: owns the answer to "which bracket is still open?" for errors at the file's end. It reads the
 * tokens once more, without a grammar: what `/` means is guessed from the token before. Where that goes wrong, as in
 * the text of elements, it ends in an error and nothing is answered. */
#include <stdlib.h>

#include "runtime/typescript_internal.h"

/* May an operand end with PREVIOUS, so that `/` divides? */
static bool ends_operand(const struct rt_ts_token *previous) {
    switch (previous->type) {
        case T_NUMBER:
        case T_STRING:
        case T_TEMPLATE:
        case T_PRIVATE:
        case T_RPAREN:
        case T_RBRACKET:
        case T_RBRACE:
        case T_INCREMENT:
        case T_BANG:
        case K_FALSE:
        case K_NULL:
        case K_SUPER:
        case K_THIS:
        case K_TRUE: return true;
        default: return rt_ts_is_identifier(previous->type);
    }
}

/* Steps over one token; STACK holds the COUNT brackets that are open. Returns false when they don't match. */
static bool step(struct rt_ts_parser *p, struct rt_ts_token *previous, struct rt_ts_token *stack, uint32_t *count) {
    struct rt_ts_token token = p->at.token;
    uint8_t opener = token.type == T_RBRACE ? T_LBRACE : token.type == T_RPAREN ? T_LPAREN : T_LBRACKET;
    switch (token.type) {
        case T_TEMPLATE_HEAD:
        case T_LBRACE:
        case T_LPAREN:
        case T_LBRACKET: stack[(*count)++] = token; break;
        case T_RBRACE:
        case T_RPAREN:
        case T_RBRACKET:
            if (*count == 0) return false;
            if (token.type == T_RBRACE && stack[*count - 1].type == T_TEMPLATE_HEAD) {
                if (!rt_ts_continue_template(p)) {
                    previous->type = T_TEMPLATE;
                    (*count)--;
                }
                return !p->at.failed;
            }
            if (stack[--*count].type != opener) return false;
            break;
        case T_SLASH:
            if (ends_operand(previous)) break;
            rt_ts_skip_regex(p);
            previous->type = T_STRING;
            return !p->at.failed;
        default: break;
    }
    *previous = token;
    rt_ts_next(p);
    return !p->at.failed;
}

bool rt_ts_open_bracket(struct rt_ts_parser *p, struct rt_ts_token *bracket_out) {
    struct rt_ts_cursor here = p->at;
    struct rt_ts_token previous = {.type = T_SEMICOLON};
    uint32_t count = 0, capacity = 0;
    struct rt_ts_token *stack = NULL;
    p->speculating++;
    rt_ts_first_token(p);
    bool fine = true;
    while (fine && !rt_ts_is(p, T_EOF)) {
        fine = rt_ts_reserve(p, &stack, &capacity, count, sizeof *stack) && step(p, &previous, stack, &count);
    }
    fine = fine && !p->at.failed && count > 0;
    if (fine) *bracket_out = stack[count - 1];
    rt_ts_rewind(p, &here);
    p->speculating--;
    free(stack);
    return fine;
}
